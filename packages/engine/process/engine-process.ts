import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { extname, join } from "node:path";
import { performance } from "node:perf_hooks";
import type { GapRequest, GapResult } from "../alignment/align-gap.ts";
import { EngineError } from "../engine-error.ts";
import { GpuFailed } from "../gpu-failed.ts";
import type { SpeechNetwork } from "../manifests/manifest.ts";
import { getSandboxMode } from "../media/sandbox-mode.ts";
import type { ProviderSetting } from "../runtime/execution-provider.ts";
import type { SpanRequest, SpanResult } from "../separation/spans/run-span.ts";
import type { EngineRequest } from "../targets/engine-request.ts";
import { ENGINE_FLAGS, makeEngineEnvironment } from "./engine-environment.ts";
import { makeCancelledError, makeDeathError, ReportedError } from "./engine-failures.ts";
import type { EngineCommand, EngineMessage, NetworkReport, SpanNews } from "./engine-message.ts";
import { answerSpans, deliver, type EngineHooks, noteEnded, type WorkHooks } from "./work-hooks.ts";

/** TypeScript in a checkout, JavaScript in the published package. */
const CHILD_PATH = join(import.meta.dirname, `engine-child${extname(import.meta.filename)}`);
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
};

/**
 * A child process that handles requests one at a time. It is started by the first request, kept for the next, stopped when idle, and killed to cancel:
 * the network cannot be interrupted in any other way.
 */
export class EngineProcess {
  readonly #options: EngineProcessOptions;
  #child: ChildProcess | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #isBusy = false;
  readonly #gpuUsers = new WeakSet<ChildProcess>();
  readonly #providers = new WeakMap<ChildProcess, ProviderSetting>();
  #cpuUntilMs = 0;

  constructor(options: EngineProcessOptions = {}) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
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
    const provider = this.#chooseSetting();
    // A child keeps its networks on the provider it loaded them on.
    if (this.#child !== undefined && this.#providers.get(this.#child) !== provider)
      await this.#kill(this.#child);
    const child = this.#getChild();
    this.#providers.set(child, provider);
    this.#isBusy = true;
    setReferenced(child, true);
    const { ended, settleHooks } = this.#converse(child, work, hooks);
    try {
      await ended;
    } catch (error) {
      // A child that reported an error is fine; one that a hook or the caller gave up on is still running.
      if (!(error instanceof ReportedError) || error.cause instanceof GpuFailed) await this.#kill(child);
      // The next run of the same work would overwrite files that a hook still reads.
      await settleHooks();
      throw error instanceof ReportedError ? error.cause : error;
    } finally {
      if (this.#child !== child) await this.#kill(child);
      this.#isBusy = false;
      this.#startIdleTimer();
    }
  }

  #chooseSetting(): ProviderSetting {
    return performance.now() < this.#cpuUntilMs ? "cpu" : (this.#options.executionProvider ?? "cpu");
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    if (this.#child !== undefined) await this.#kill(this.#child);
  }

  #getChild(): ChildProcess {
    if (this.#child !== undefined) return this.#child;
    const child = fork(CHILD_PATH, [], {
      execArgv: [...ENGINE_FLAGS],
      env: makeEngineEnvironment(),
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    // A request in progress has its own listener; without a request the error must not crash this process.
    child.on("error", () => {});
    if (!child.channel) throw new Error("the engine process cannot be started: out of file descriptors");
    child.once("exit", () => {
      if (this.#child === child) this.#child = undefined;
    });
    child.on("message", ({ kind }: EngineMessage) => {
      if (kind === "retired") this.#retire(child);
      if (kind === "gpu-in-use") this.#gpuUsers.add(child);
    });
    this.#child = child;
    return child;
  }

  /** Stops a child that is no longer needed, after its current request. */
  #retire(child: ChildProcess): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    if (!this.#isBusy) void this.#kill(child);
  }

  /** After it has settled no further hook starts; `settleHooks` waits for the running one. */
  #converse(
    child: ChildProcess,
    work: EngineCommand["work"],
    hooks: WorkHooks,
  ): { ended: Promise<void>; settleHooks(): Promise<void> } {
    const { threads = availableParallelism(), speechNetwork, cacheDir, stemCacheBytes = 0 } = this.#options;
    const command: EngineCommand = {
      kind: "work",
      work,
      threads,
      executionProvider: this.#providers.get(child) ?? "cpu",
      stemCacheBytes,
      sandboxMode: getSandboxMode(),
      ...(speechNetwork === undefined ? {} : { speechNetwork }),
      ...(cacheDir === undefined ? {} : { cacheDir }),
    };
    const ended = Promise.withResolvers<void>();
    // Hooks run one after another in the order of the messages, each awaited.
    let hooksDone = Promise.resolve();
    let isOver = false;
    const onMessage = (message: EngineMessage) => {
      if (message.kind === "retired" || message.kind === "gpu-in-use") return;
      if (message.kind === "notice") return this.#options.onNotice?.(message.notice);
      // Not queued: another worker's span may take any time, and nothing else waits for it.
      if (message.kind === "span-wanted" || message.kind === "spans-offered")
        return answerSpans(message, hooks, (news) => tell(news)).catch(ended.reject);
      if (message.kind === "network-loaded") return this.#options.onNetworkLoaded?.(message.network);
      hooksDone = hooksDone.then(() => (isOver ? undefined : deliver(message, hooks, ended.resolve)));
      hooksDone.catch(ended.reject);
    };
    const tell = (news: SpanNews) => {
      // Nothing can be sent to a dead child; its exit event reports it.
      if (!isOver && child.connected) child.send(news, () => {});
    };
    const onExit = (code: number | null, signal: NodeJS.Signals | null) => {
      // After the last message has been handled: a child may exit right after its answer.
      hooksDone.then(
        () => {
          const error = makeDeathError(code, signal);
          const isGpuFault = this.#gpuUsers.has(child) && error instanceof EngineError;
          ended.reject(isGpuFault ? new GpuFailed(error) : error);
        },
        () => {},
      );
    };
    const onAbort = () => ended.reject(makeCancelledError());
    child.on("message", onMessage);
    child.once("exit", onExit);
    child.once("error", ended.reject);
    hooks.signal?.addEventListener("abort", onAbort, { once: true });
    child.send(command, (error) => {
      // A child that died between requests; its exit event reports it.
      if (error !== null && child.exitCode === null && child.signalCode === null) ended.reject(error);
    });
    const stopListening = () => {
      isOver = true;
      child.off("message", onMessage);
      child.off("exit", onExit);
      child.off("error", ended.reject);
      hooks.signal?.removeEventListener("abort", onAbort);
    };
    return { ended: ended.promise.finally(stopListening), settleHooks: () => hooksDone.catch(() => {}) };
  }

  async #kill(child: ChildProcess): Promise<void> {
    if (this.#child === child) this.#child = undefined;
    if (child.exitCode !== null || child.signalCode !== null) return;
    setReferenced(child, true);
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
  }

  #startIdleTimer(): void {
    const child = this.#child;
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
