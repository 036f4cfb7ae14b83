import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { EngineError } from "../engine-error.ts";
import { hasExactByteProducts } from "./byte-products.ts";
import type { SessionOptions } from "./create-session.ts";
import type { ExecutionProvider } from "./execution-provider.ts";
import type { Buffers, ChainLink } from "./graph-chain.ts";
import type { ChainCommand, GraphCommand, GraphMessage, ThreadOptions } from "./graph-thread-entry.ts";

/** TypeScript in a checkout, JavaScript in the published package. */
const ENTRY = new URL(`./graph-thread-entry${extname(import.meta.filename)}`, import.meta.url);

type Answer = Extract<GraphMessage, { kind: "added" | "ran" }>;

type Pending = PromiseWithResolvers<Answer> & { onLinkDone: (count: number) => void };

/** Not an EngineError: a dead thread says nothing about the work, which is retried in another process. */
class GraphThreadDied extends Error {
  constructor(how: string) {
    super(`The network's thread ended unexpectedly (${how}).`);
  }
}

/** All sessions on a GPU share its device in onnxruntime, which is not thread-safe, so they also share a thread. */
let gpuThread: Promise<GraphThread> | undefined;

/**
 * Runs chains of graphs in a separate thread, while the caller's thread prepares the next input and writes the previous output. Commands are
 * queued and run in order.
 */
export class GraphThread {
  readonly #worker = new Worker(ENTRY);
  readonly #pending: Pending[] = [];
  #chainCount = 0;
  #end: { reason: unknown } | undefined;

  /** A chain in a new thread or, on a GPU, in the GPU's thread. */
  static async startChain(options: SessionOptions): Promise<ThreadChain> {
    const { onNotice, onGpuUse, onThreadDeath, ...rest } = options;
    if ((options.executionProvider ?? "cpu") === "cpu")
      return new ThreadChain(await GraphThread.#start(options), rest);
    gpuThread ??= GraphThread.#start(options);
    return new ThreadChain(await gpuThread, rest);
  }

  static async #start(options: SessionOptions): Promise<GraphThread> {
    // Create the first session of the process here: the thread inherits its flush-to-zero mode from this one.
    await hasExactByteProducts();
    return new GraphThread(options);
  }

  private constructor({ onNotice, onThreadDeath }: SessionOptions) {
    this.#worker.on("message", (message: GraphMessage) => {
      if (message.kind === "notice") onNotice?.(message.notice);
      else this.#settle(message);
    });
    const die = (how: string) => {
      onThreadDeath?.();
      this.#finish(new GraphThreadDied(how));
    };
    this.#worker.on("error", (error) => die(error.message));
    this.#worker.on("exit", (code) => die(`exit code ${code}`));
    this.#worker.unref();
  }

  nextChain(): number {
    this.#chainCount += 1;
    return this.#chainCount;
  }

  ask(
    command: GraphCommand,
    moved: readonly ArrayBufferView[],
    onLinkDone: Pending["onLinkDone"] = () => {},
  ): Promise<Answer> {
    if (this.#end) return Promise.reject(this.#end.reason);
    const pending = { ...Promise.withResolvers<Answer>(), onLinkDone };
    this.#pending.push(pending);
    // An idle thread does not keep a finished program alive.
    this.#worker.ref();
    this.#worker.postMessage(
      command,
      moved.map(({ buffer }) => buffer as ArrayBuffer),
    );
    return pending.promise;
  }

  #settle(message: Exclude<GraphMessage, { kind: "notice" }>): void {
    if (message.kind === "link-done") {
      this.#pending[0]?.onLinkDone(message.count);
      return;
    }
    const pending = this.#pending.shift();
    if (message.kind === "failed") pending?.reject(new EngineError(message.errorKind, message.message));
    else pending?.resolve(message);
    if (this.#pending.length === 0) this.#worker.unref();
  }

  /** Fails all pending and later commands with the first error. */
  #finish(reason: unknown): void {
    this.#end ??= { reason };
    for (const pending of this.#pending.splice(0)) pending.reject(this.#end.reason);
  }
}

/** Graphs in a thread, run in order. */
export class ThreadChain {
  readonly #thread: GraphThread;
  readonly #options: ThreadOptions;
  readonly #chain: number;
  #failure: { reason: unknown } | undefined;

  constructor(thread: GraphThread, options: ThreadOptions) {
    this.#thread = thread;
    this.#options = options;
    this.#chain = thread.nextChain();
  }

  /**
   * Appends a graph to the chain, detaching its file and weights here; returns what it runs on. A chain that lacks a link is useless: if one can't be
   * added, all later commands fail. The thread is left idle, since ending one with onnxruntime loaded may end the process.
   */
  async add(link: ChainLink): Promise<ExecutionProvider> {
    try {
      const file = link.file instanceof Uint8Array ? [link.file] : [];
      const weights = (link.weights ?? []).map(({ data }) => data);
      const answer = await this.#ask({ kind: "add", link, options: this.#options }, [...file, ...weights]);
      if (answer.kind !== "added") throw new Error(`the thread answered ${answer.kind}`);
      return answer.executionProvider;
    } catch (error) {
      this.#failure ??= { reason: error };
      throw error;
    }
  }

  /** Runs the chain on the buffers, which hold inputs and outputs. They are detached meanwhile and come back as the same memory. */
  async run<Taken extends Buffers>(buffers: Taken, onLinkDone?: (count: number) => void): Promise<Taken> {
    const answer = await this.#ask({ kind: "run", buffers }, Object.values(buffers), onLinkDone);
    if (answer.kind !== "ran") throw new Error(`the thread answered ${answer.kind}`);
    return answer.buffers as Taken;
  }

  async #ask(
    command: ChainCommand,
    moved: readonly ArrayBufferView[],
    onLinkDone?: Pending["onLinkDone"],
  ): Promise<Answer> {
    this.#check();
    const answer = await this.#thread.ask({ ...command, chain: this.#chain }, moved, onLinkDone);
    // Again, in case a link requested earlier has failed meanwhile.
    this.#check();
    return answer;
  }

  #check(): void {
    if (this.#failure) throw this.#failure.reason;
  }
}
