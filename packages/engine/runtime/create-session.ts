import ort from "onnxruntime-node";
import { type ExecutionProvider, toRuntimeName } from "./execution-provider.ts";
import { toModelError } from "./to-model-error.ts";

export type SessionOptions = {
  threads: number;
  /** The CPU by default, and wherever the one asked for cannot be had. */
  executionProvider?: ExecutionProvider;
  /** Told what an operator should know although the work goes on. */
  onNotice?: (notice: string) => void;
};

/** A session of onnxruntime, and what it really runs on. */
export type CreatedSession = { session: ort.InferenceSession; executionProvider: ExecutionProvider };

export async function createSession(graphPath: string, options: SessionOptions): Promise<CreatedSession> {
  const { threads, executionProvider = "cpu", onNotice } = options;
  try {
    return await createOn(executionProvider, graphPath, threads);
  } catch (error) {
    if (executionProvider === "cpu") throw toModelError(error, "The network could not be loaded");
    const reason = error instanceof Error ? error.message : String(error);
    onNotice?.(
      `The execution provider ${executionProvider} cannot be used here; the network runs on the CPU. ${reason}`,
    );
    return createSession(graphPath, { threads });
  }
}

/** Operators that a provider lacks run on the CPU: onnxruntime sees to that itself. */
async function createOn(
  executionProvider: ExecutionProvider,
  graphPath: string,
  threads: number,
): Promise<CreatedSession> {
  const session = await ort.InferenceSession.create(graphPath, {
    executionProviders: [toRuntimeName(executionProvider)],
    intraOpNumThreads: threads,
    graphOptimizationLevel: "all",
    // The arena keeps every block it ever took: htdemucs peaks at 4.8 GB with it, 2.5 GB without.
    enableCpuMemArena: false,
    // Without an arena, planned patterns only add a second copy of the plan's largest block (+0.2 GB).
    enableMemPattern: false,
  });
  return { session, executionProvider };
}
