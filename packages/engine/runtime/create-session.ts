import type ort from "onnxruntime-node";
import { hasExactByteProducts } from "./byte-products.ts";
import { type ExecutionProvider, toRuntimeName } from "./execution-provider.ts";
import { type GraphFile, makeSession } from "./make-session.ts";
import { toNetworkError } from "./to-network-error.ts";

export type SessionOptions = {
  threads: number;
  /** Whether a network that may multiply in bytes or in floats does so in bytes; by default where the processor is exact, and faster, with them. */
  inBytes?: boolean;
  /** Whether all memory that a run took is kept for the next: a tenth less time for band-split, elsewhere twice the peak and more for nothing. */
  keepsMemory?: boolean;
  /** The CPU by default, and if the requested one is unavailable. */
  executionProvider?: ExecutionProvider;
  /** For a graph that is of no use where the CPU has to do some of it: it can't be loaded then, on any other provider. */
  isWhole?: boolean;
  /** Told what an operator should know although the work goes on. */
  onNotice?: (notice: string) => void;
  /** Told that a network is about to be loaded on something else than the CPU, whose driver may take the process down with it. */
  onGpuUse?: () => void;
  /** Called when a network's thread has ended, busy or idle: the network can no longer be used. May be called twice. */
  onThreadDeath?: () => void;
};

/** A session of onnxruntime, and what it really runs on. */
export type CreatedSession = { session: ort.InferenceSession; executionProvider: ExecutionProvider };

export async function createSession(graph: GraphFile, options: SessionOptions): Promise<CreatedSession> {
  const { executionProvider = "cpu", isWhole = false, onNotice } = options;
  try {
    return await createOn(executionProvider, graph, options);
  } catch (error) {
    if (executionProvider === "cpu" || isWhole)
      throw toNetworkError(error, "The network could not be loaded");
    const reason = error instanceof Error ? error.message : String(error);
    onNotice?.(
      `The execution provider ${executionProvider} cannot be used here; the network runs on the CPU. ${reason}`,
    );
    return createSession(graph, { ...options, executionProvider: "cpu" });
  }
}

/** Operators that a provider lacks run on the CPU, unless the graph is to be whole: onnxruntime sees to both. */
async function createOn(
  executionProvider: ExecutionProvider,
  graph: GraphFile,
  { threads, keepsMemory = false, isWhole = false }: SessionOptions,
): Promise<CreatedSession> {
  const session = await makeSession(graph, {
    executionProviders: [toRuntimeName(executionProvider)],
    intraOpNumThreads: threads,
    graphOptimizationLevel: "all",
    enableCpuMemArena: keepsMemory,
    // Without an arena, planned patterns only add a second copy of the plan's largest block (+0.2 GB).
    enableMemPattern: false,
    entries: {
      // Where products of signed bytes overflow, unsigned ones are taken. Asked for elsewhere it costs processors with AMX their fast products.
      x64quantprecision: (await hasExactByteProducts()) ? "0" : "1",
      // Threads without work sleep instead of spinning: the decoder and the encoders of outputs need the cores as well.
      intra_op: { allow_spinning: "0" },
      ...(isWhole && executionProvider !== "cpu" ? { disable_cpu_ep_fallback: "1" } : {}),
    },
  });
  return { session, executionProvider };
}
