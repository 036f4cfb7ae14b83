import ort from "./onnxruntime.ts";

/** A graph as a file's path or its content. */
export type GraphFile = string | Uint8Array;

type SessionSettings = Omit<ort.InferenceSession.SessionOptions, "extra"> & {
  /** Entries of onnxruntime's configuration. */
  entries?: Record<string, unknown>;
};

/**
 * A softmax is full of denormal numbers, which are slow: htdemucs took half as long again with them. The first session of a process sets
 * flush-to-zero for the thread that creates it, and threads inherit it from their parent: every session must set it.
 */
const FLUSH_SMALLEST_NUMBERS = { set_denormal_as_zero: "1" };

export function makeSession(
  graph: GraphFile,
  { entries, ...settings }: SessionSettings,
): Promise<ort.InferenceSession> {
  // Two overloads of one function: the type of the first argument chooses.
  const create = ort.InferenceSession.create as (
    graph: GraphFile,
    options: ort.InferenceSession.SessionOptions,
  ) => Promise<ort.InferenceSession>;
  return create(graph, { ...settings, extra: { session: { ...FLUSH_SMALLEST_NUMBERS, ...entries } } });
}
