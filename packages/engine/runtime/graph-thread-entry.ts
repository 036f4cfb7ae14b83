import { parentPort } from "node:worker_threads";
import { EngineError, type EngineErrorKind } from "../engine-error.ts";
import type { SessionOptions } from "./create-session.ts";
import type { ExecutionProvider } from "./execution-provider.ts";
import { type Buffers, type ChainLink, GraphChain } from "./graph-chain.ts";

/** The options that can be sent to a thread. */
export type ThreadOptions = Omit<SessionOptions, "onNotice" | "onGpuUse" | "onThreadDeath">;

export type ChainCommand =
  | { kind: "add"; link: ChainLink; options: ThreadOptions }
  | { kind: "run"; buffers: Buffers };

/** Commands to the thread for one of its chains; it answers in order. */
export type GraphCommand = ChainCommand & { chain: number };

/** Messages from the thread; `added`, `ran` or `failed` completes a command. */
export type GraphMessage =
  | { kind: "notice"; notice: string }
  | { kind: "link-done"; count: number }
  | { kind: "added"; executionProvider: ExecutionProvider }
  | { kind: "ran"; buffers: Buffers }
  | { kind: "failed"; errorKind: EngineErrorKind; message: string };

/** The thread of a network's graphs: creating and running a session block it. */

const chains = new Map<number, GraphChain>();
let done = Promise.resolve();

parentPort?.on("message", (command: GraphCommand) => {
  done = done.then(() => perform(command)).catch(reportFailure);
});

async function perform(command: GraphCommand): Promise<void> {
  const chain = chains.get(command.chain) ?? new GraphChain();
  chains.set(command.chain, chain);
  if (command.kind === "add") {
    const onNotice = (notice: string) => send({ kind: "notice", notice });
    const executionProvider = await chain.add(command.link, { ...command.options, onNotice });
    return send({ kind: "added", executionProvider });
  }
  const { buffers } = command;
  await chain.run(buffers, (count) => send({ kind: "link-done", count }));
  send({ kind: "ran", buffers }, Object.values(buffers));
}

function reportFailure(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  send({ kind: "failed", errorKind: error instanceof EngineError ? error.kind : "network-failed", message });
}

/** Transferred memory is not copied, and is detached here. */
function send(message: GraphMessage, moved: readonly Float32Array[] = []): void {
  parentPort?.postMessage(
    message,
    moved.map(({ buffer }) => buffer as ArrayBuffer),
  );
}
