import type ort from "onnxruntime-node";
import { hasExactByteProducts } from "./byte-products.ts";
import { type ExecutionProvider, toRuntimeName } from "./execution-provider.ts";
import { type GraphFile, makeSession } from "./make-session.ts";
import { toNetworkError } from "./to-network-error.ts";

export type SessionOptions = {
  threads: number;
  /** Use int8 in networks that support it; by default on CPUs where int8 is exact and faster (VNNI, AMX, arm64). */
  inBytes?: boolean;
  /** Keep a memory arena between runs: a tenth faster for band-split, elsewhere twice the peak memory for no gain. */
  keepsMemory?: boolean;
  /** The CPU by default, and if the requested one is unavailable. */
  executionProvider?: ExecutionProvider;
  /** Fail to load on another provider if some nodes would run on the CPU. */
  isWhole?: boolean;
  /** Called with what an operator should know although the work continues. */
  onNotice?: (notice: string) => void;
  /** Called before a network is loaded on anything but the CPU: its driver may crash the process. */
  onGpuUse?: () => void;
  /** Called when a network's thread has ended, busy or idle: the network can no longer be used. May be called twice. */
  onThreadDeath?: () => void;
};

/** A session of onnxruntime, and what it actually runs on. */
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

/** onnxruntime runs operators that a provider lacks on the CPU, or refuses to if the graph must be whole. */
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
      // Unsigned int8 where signed products overflow. Set elsewhere, it would cost CPUs with AMX their fast path.
      x64quantprecision: (await hasExactByteProducts()) ? "0" : "1",
      // Idle threads sleep instead of spinning: the decoder and the encoders of outputs need the cores too.
      intra_op: { allow_spinning: "0" },
      ...(isWhole && executionProvider !== "cpu" ? { disable_cpu_ep_fallback: "1" } : {}),
    },
  });
  return { session, executionProvider };
}
