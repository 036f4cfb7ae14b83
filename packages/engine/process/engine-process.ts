import type { ChildProcess } from "node:child_process";
import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import type { GapRequest, GapResult } from "../alignment/align-gap.ts";
import { GpuFailed } from "../gpu-failed.ts";
import type { SpeechNetwork } from "../manifests/manifest.ts";
import { getSandboxMode } from "../media/sandbox-mode.ts";
import type { ProviderSetting } from "../runtime/execution-provider.ts";
import type { ConfinementReport } from "../sandbox/confine-engine.ts";
import type { SpanRequest, SpanResult } from "../separation/spans/run-span.ts";
import { StemCache, type StemLender, stemCacheFolder } from "../separation/stem-cache.ts";
import type { EngineRequest } from "../targets/engine-request.ts";
import { claimWorkDir } from "./claim-work-dir.ts";
import { Conversation } from "./conversation.ts";
import { EngineCell } from "./engine-cell.ts";
import { makeCancelledError, ReportedError } from "./engine-failures.ts";
import type { EngineCommand, EngineMessage, NetworkReport } from "./engine-message.ts";
import { type EngineNeeds, listNeeds } from "./engine-needs.ts";
import { type EngineChild, startEngine, toNetworkCacheDir } from "./start-engine.ts";
import { type EngineHooks, noteEnded, type WorkHooks } from "./work-hooks.ts";

const IDLE_MS = 60_000;
/** How long a GPU that failed is not used: other programs may need its memory, or the driver may have to restart. */
const CPU_AFTER_FAULT_MS = 10 * 60_000;

export type EngineProcessOptions = {
  /** Threads per network; by default one per core. */
  threads?: number;
  /** The CPU by default, and if the requested one is unavailable; `auto`: the fastest for each network on this machine. */
  executionProvider?: ProviderSetting;
  /** The network for transcription; whisper-small by default. */
  speechNetwork?: SpeechNetwork;
  /** The networks that people added. */
  modelsDir?: string;
  /** Called with what an operator should know although the work continues. */
  onNotice?: (notice: string) => void;
  /** Called for each loaded network that GPUs can run, with what it runs on. */
  onNetworkLoaded?: (network: NetworkReport) => void;
  /** Where verified weights are remembered and finished stems cached; without it weights are hashed at each start of the process. */
  cacheDir?: string;
  /** Disk space for cached stems of requests that name a cache user; none by default. */
  stemCacheBytes?: number;
  /** How long the process, with its loaded network, waits for the next request. */
  idleMs?: number;
  /**
   * The files of each request are in one folder of this one, such as that of a Task: the process can use that folder alone, and only during the request.
   * Without it, the process can use the files of its first request, and is replaced when another needs more.
   */
  workRoot?: string;
  /** Without `workRoot`: more that later requests will need. */
  needs?: EngineNeeds;
  /** Called for each started process, with what confines it; undefined where nothing can. */
  onConfined?: (report: ConfinementReport | undefined) => void;
};

/**
 * A child process that handles requests one at a time. It is started by the first request, kept for the next, stopped when idle, and killed to cancel:
 * the network cannot be interrupted in any other way.
 */
export class EngineProcess {
  readonly #options: EngineProcessOptions;
  #engine: EngineChild | undefined;
  #cell: EngineCell | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isBusy = false;
  readonly #gpuUsers = new WeakSet<ChildProcess>();
  readonly #providers = new WeakMap<ChildProcess, ProviderSetting>();
  #cpuUntilMs = 0;

  constructor(options: EngineProcessOptions = {}) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#engine?.process.pid;
  }

  /** Resolves when every target is done or reported as failed. Once it settles, all hooks have returned. */
  async run(request: EngineRequest, hooks: EngineHooks = {}): Promise<void> {
    await this.#perform({ kind: "targets", request }, hooks);
  }

  /** Times a text between two anchors of a recording. */
  async alignGap(request: GapRequest, { signal }: Pick<EngineHooks, "signal"> = {}): Promise<GapResult> {
    let aligned: GapResult | undefined;
    const onGapDone = (result: GapResult) => {
      aligned = result;
    };
    await this.#perform({ kind: "gap", request }, { onGapDone, ...(signal ? { signal } : {}) });
    if (aligned === undefined) throw new Error("the engine process returned no times for the gap");
    return aligned;
  }

  /** Makes a span of a long input for another engine. */
  async runSpan(
    request: SpanRequest,
    { signal, onProgress }: Pick<EngineHooks, "signal"> & { onProgress?: (fraction: number) => void } = {},
  ): Promise<SpanResult> {
    let made: SpanResult | undefined;
    await this.#perform(
      { kind: "span", request },
      {
        onSpanDone: (result) => {
          made = result;
        },
        ...(onProgress && { onSpanProgress: onProgress }),
        ...(signal ? { signal } : {}),
      },
    );
    if (made === undefined) throw new Error("the engine process returned no result for the span");
    return made;
  }

  /** If a GPU fails, the work is resumed on the CPU after what is finished. */
  async #perform(work: EngineCommand["work"], hooks: WorkHooks): Promise<void> {
    const ended = new Set<string>();
    const noted = noteEnded(hooks, ended);
    try {
      await this.#attempt(work, noted);
    } catch (error) {
      if (!(error instanceof GpuFailed)) throw error;
      this.#cpuUntilMs = performance.now() + CPU_AFTER_FAULT_MS;
      this.#options.onNotice?.(`${error.message} Networks run on the CPU for the next 10 minutes.`);
      // Spans from other workers were made with the GPU's arithmetic.
      await this.#attempt(withoutTargets(work, ended), { ...noted, spans: undefined });
    }
  }

  async #attempt(work: EngineCommand["work"], hooks: WorkHooks): Promise<void> {
    if (this.#isBusy) throw new Error("this engine process is busy: it takes one request at a time");
    if (hooks.signal?.aborted) throw makeCancelledError();
    clearTimeout(this.#idleTimer);
    this.#isBusy = true;
    try {
      const { read, write } = listNeeds(work);
      mkdirSync(work.request.workDir, { recursive: true, mode: 0o700 });
      using _ = this.#moveIn([...write, ...read]);
      const engine = await this.#getEngine({ read, write });
      const { pid } = engine.process;
      if (pid !== undefined) await claimWorkDir(work.request.workDir, pid);
      await this.#runIn(engine, work, hooks);
    } finally {
      this.#isBusy = false;
      this.#startIdleTimer();
    }
  }

  /** Moves the folder of a request to where the process can use it, until the request has ended. */
  #moveIn(paths: readonly string[]): Disposable | undefined {
    if (this.#options.workRoot === undefined) return undefined;
    this.#cell ??= new EngineCell(this.#options.workRoot);
    return this.#cell.enter(paths);
  }

  async #runIn(engine: EngineChild, work: EngineCommand["work"], hooks: WorkHooks): Promise<void> {
    const child = engine.process;
    setReferenced(child, true);
    const conversation = this.#converse(engine, work, hooks);
    try {
      await conversation.ended;
    } catch (error) {
      // A child that reported an error is fine; one that a hook or the caller gave up on is still running.
      if (!(error instanceof ReportedError) || error.cause instanceof GpuFailed) await this.#kill(child);
      // The next run of the same work would overwrite files that a hook still reads.
      await conversation.settleHooks();
      throw error instanceof ReportedError ? error.cause : error;
    } finally {
      if (this.#engine !== engine) await this.#kill(child);
    }
  }

  #chooseSetting(): ProviderSetting {
    return performance.now() < this.#cpuUntilMs ? "cpu" : (this.#options.executionProvider ?? "cpu");
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    if (this.#engine !== undefined) await this.#kill(this.#engine.process);
  }

  async #getEngine(needs: EngineNeeds): Promise<EngineChild> {
    const provider = this.#chooseSetting();
    const wanted = this.#cell === undefined ? needs : { read: [], write: [this.#cell.path] };
    const known = this.#engine;
    // A child keeps its networks on the provider it loaded them on.
    if (known !== undefined && this.#providers.get(known.process) === provider && known.grants.cover(wanted))
      return known;
    if (known !== undefined) await this.#kill(known.process);
    const {
      modelsDir,
      cacheDir,
      needs: { read, write } = { read: [], write: [] },
      onConfined,
    } = this.#options;
    const engine = await startEngine({
      needs: { read: [...read, ...wanted.read], write: [...write, ...wanted.write] },
      modelsDir,
      cacheDir,
      usesGpu: provider !== "cpu",
      opensFilesOfOthers: this.#cell === undefined,
    });
    void engine.started.then(onConfined);
    const child = engine.process;
    child.once("exit", () => {
      if (this.#engine === engine) this.#engine = undefined;
    });
    child.on("message", ({ kind }: EngineMessage) => {
      if (kind === "retired") this.#retire(child);
      if (kind === "gpu-in-use") this.#gpuUsers.add(child);
    });
    this.#engine = engine;
    this.#providers.set(child, provider);
    return engine;
  }

  /** What the cache has for the user of a request; the child reaches the cache through this process alone. */
  #openStems(work: EngineCommand["work"]): StemLender | undefined {
    const { cacheDir, stemCacheBytes = 0 } = this.#options;
    if (work.kind !== "targets" || cacheDir === undefined || stemCacheBytes === 0) return undefined;
    const { cacheUser } = work.request;
    return cacheUser && new StemCache(stemCacheFolder(cacheDir), stemCacheBytes).openFor(cacheUser);
  }

  /** Stops a child that is no longer needed, after its current request. */
  #retire(child: ChildProcess): void {
    if (this.#engine?.process !== child) return;
    this.#engine = undefined;
    if (!this.#isBusy) void this.#kill(child);
  }

  #converse(engine: EngineChild, work: EngineCommand["work"], hooks: WorkHooks): Conversation {
    const { threads = availableParallelism(), speechNetwork, modelsDir, cacheDir } = this.#options;
    const stems = this.#openStems(work);
    const child = engine.process;
    const command: EngineCommand = {
      kind: "work",
      work,
      threads,
      executionProvider: this.#providers.get(child) ?? "cpu",
      hasStemCache: stems !== undefined,
      sandboxMode: getSandboxMode(),
      ...(speechNetwork === undefined ? {} : { speechNetwork }),
      ...(modelsDir === undefined ? {} : { modelsDir }),
      ...(cacheDir === undefined ? {} : { cacheDir: toNetworkCacheDir(cacheDir) }),
    };
    const { onNotice, onNetworkLoaded } = this.#options;
    const usesGpu = () => this.#gpuUsers.has(child);
    return new Conversation(engine, command, hooks, { stems, onNotice, onNetworkLoaded, usesGpu });
  }

  async #kill(child: ChildProcess): Promise<void> {
    if (this.#engine?.process === child) this.#engine = undefined;
    if (child.exitCode !== null || child.signalCode !== null) return;
    setReferenced(child, true);
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  #startIdleTimer(): void {
    const child = this.#engine?.process;
    if (child === undefined) return;
    // An idle child does not keep a finished program alive.
    setReferenced(child, false);
    this.#idleTimer = setTimeout(() => void this.#kill(child), this.#options.idleMs ?? IDLE_MS);
    this.#idleTimer.unref();
  }
}

/** Without previews: other arithmetic would make a second version of them from the start. */
function withoutTargets(work: EngineCommand["work"], ended: ReadonlySet<string>): EngineCommand["work"] {
  if (work.kind !== "targets") return work;
  const { previews, ...request } = work.request;
  return {
    kind: "targets",
    request: { ...request, targets: request.targets.filter(({ key }) => !ended.has(key)) },
  };
}

function setReferenced(child: ChildProcess, isReferenced: boolean): void {
  if (isReferenced) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}
