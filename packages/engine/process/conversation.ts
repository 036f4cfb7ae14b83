import { EngineError } from "../engine-error.ts";
import { GpuFailed } from "../gpu-failed.ts";
import type { StemLender } from "../separation/stem-cache.ts";
import { makeCancelledError, makeDeathError, makeStartError } from "./engine-failures.ts";
import type { EngineCommand, EngineMessage, NetworkReport, SpanNews, StemNews } from "./engine-message.ts";
import { isInside } from "./engine-needs.ts";
import type { EngineChild } from "./start-engine.ts";
import { answerSpans, deliver, listPaths, type WorkHooks } from "./work-hooks.ts";

type Listeners = {
  stems: StemLender | undefined;
  onNotice: ((notice: string) => void) | undefined;
  onNetworkLoaded: ((network: NetworkReport) => void) | undefined;
  /** Whether the child has used a GPU, which may be why it died. */
  usesGpu(): boolean;
};

/** One request to the child: sends the command, answers messages and passes news to the hooks, until the request or the child ends. */
export class Conversation {
  readonly #engine: EngineChild;
  readonly #workDir: string;
  readonly #hooks: WorkHooks;
  readonly #listeners: Listeners;
  readonly #end = Promise.withResolvers<void>();
  /** Hooks run one after another in the order of the messages, each awaited. */
  #hooksDone = Promise.resolve();
  #isOver = false;
  /** After it has settled no further hook starts; `settleHooks` waits for the running one. */
  readonly ended: Promise<void>;

  constructor(engine: EngineChild, command: EngineCommand, hooks: WorkHooks, listeners: Listeners) {
    this.#engine = engine;
    this.#workDir = command.work.request.workDir;
    this.#hooks = hooks;
    this.#listeners = listeners;
    this.ended = this.#end.promise.finally(() => this.#stopListening());
    const child = engine.process;
    child.on("message", this.#onMessage);
    child.once("exit", this.#onExit);
    child.once("error", this.#end.reject);
    hooks.signal?.addEventListener("abort", this.#onAbort, { once: true });
    // While the engine was starting.
    if (hooks.signal?.aborted) this.#onAbort();
    // It may have died since.
    const failure = engine.failure();
    if (failure !== undefined) this.#end.reject(failure);
    if (child.exitCode !== null || child.signalCode !== null) this.#onExit(child.exitCode, child.signalCode);
    void engine.started.then(() => this.#send(command));
  }

  settleHooks(): Promise<void> {
    return this.#hooksDone.catch(() => {});
  }

  readonly #onMessage = (message: EngineMessage) => {
    if (message.kind === "started" || message.kind === "retired" || message.kind === "gpu-in-use") return;
    const { stems, onNotice, onNetworkLoaded } = this.#listeners;
    // A network's weights may have taken the child over: what it names is read as this process.
    if (!listPaths(message).every((path) => isInside(this.#workDir, path)))
      return this.#end.reject(new Error("the engine process named a file outside its work folder"));
    if (message.kind === "stem-wanted")
      return void Promise.resolve(stems?.lend(message.wanted) ?? false).then((isLent) =>
        this.#send({ kind: "stem-lent", id: message.id, isLent }),
      );
    if (message.kind === "stem-finished") return stems?.keep(message.finished);
    if (message.kind === "notice") return onNotice?.(message.notice);
    // Not queued: another worker's span may take any time, and nothing else waits for it.
    if (message.kind === "span-wanted" || message.kind === "spans-offered")
      return answerSpans(message, this.#hooks, (news) => this.#send(news)).catch(this.#end.reject);
    if (message.kind === "network-loaded") return onNetworkLoaded?.(message.network);
    this.#hooksDone = this.#hooksDone.then(() =>
      this.#isOver ? undefined : deliver(message, this.#hooks, this.#end.resolve),
    );
    this.#hooksDone.catch(this.#end.reject);
  };

  /** Nothing can be sent to a dead child; its exit event reports it. */
  #send(news: EngineCommand | SpanNews | StemNews): void {
    const child = this.#engine.process;
    if (!this.#isOver && child.connected) child.send(news, () => {});
  }

  readonly #onExit = (code: number | null, signal: NodeJS.Signals | null) => {
    // After the last message has been handled: a child may exit right after its answer.
    this.#hooksDone.then(
      () => {
        const error = this.#engine.hasStarted() ? makeDeathError(code, signal) : makeStartError(code, signal);
        const isGpuFault = this.#listeners.usesGpu() && error instanceof EngineError;
        this.#end.reject(isGpuFault ? new GpuFailed(error) : error);
      },
      () => {},
    );
  };

  readonly #onAbort = () => this.#end.reject(makeCancelledError());

  #stopListening(): void {
    this.#isOver = true;
    const child = this.#engine.process;
    child.off("message", this.#onMessage);
    child.off("exit", this.#onExit);
    child.off("error", this.#end.reject);
    this.#hooks.signal?.removeEventListener("abort", this.#onAbort);
  }
}
