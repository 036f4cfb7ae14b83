import ort from "onnxruntime-node";
import { type ExecutionProvider, toRuntimeName } from "./execution-provider.ts";
import { toModelError } from "./to-model-error.ts";

export type SessionOptions = {
  threads: number;
  /**
   * Whether the runtime keeps what memory it took for the next run. Where every run takes the same blocks, as Whisper's do, that
   * saves a third of the time; htdemucs would peak at 4.8 GB with it, 2.5 GB without.
   */
  keepsMemory?: boolean;
  /** The CPU by default, and wherever the one asked for cannot be had. */
  executionProvider?: ExecutionProvider;
  /** Told what an operator should know although the work goes on. */
  onNotice?: (notice: string) => void;
};

/** A session of onnxruntime, and what it really runs on. */
export type CreatedSession = { session: ort.InferenceSession; executionProvider: ExecutionProvider };

/** `graph` is the path of an ONNX file, or what it would hold. */
export async function createSession(
  graph: string | Uint8Array,
  options: SessionOptions,
): Promise<CreatedSession> {
  const { executionProvider = "cpu", onNotice } = options;
  try {
    return await createOn(executionProvider, graph, options);
  } catch (error) {
    if (executionProvider === "cpu") throw toModelError(error, "The network could not be loaded");
    const reason = error instanceof Error ? error.message : String(error);
    onNotice?.(
      `The execution provider ${executionProvider} cannot be used here; the network runs on the CPU. ${reason}`,
    );
    return createSession(graph, { ...options, executionProvider: "cpu" });
  }
}

/** Operators that a provider lacks run on the CPU: onnxruntime sees to that itself. */
async function createOn(
  executionProvider: ExecutionProvider,
  graph: string | Uint8Array,
  { threads, keepsMemory = false }: SessionOptions,
): Promise<CreatedSession> {
  const settings: ort.InferenceSession.SessionOptions = {
    executionProviders: [toRuntimeName(executionProvider)],
    intraOpNumThreads: threads,
    graphOptimizationLevel: "all",
    enableCpuMemArena: keepsMemory,
    // Without an arena, planned patterns only add a second copy of the plan's largest block (+0.2 GB).
    enableMemPattern: false,
  };
  const session =
    typeof graph === "string"
      ? await ort.InferenceSession.create(graph, settings)
      : await ort.InferenceSession.create(graph, settings);
  return { session, executionProvider };
}
