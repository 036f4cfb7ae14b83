import { createSession, type SessionOptions } from "./create-session.ts";
import type { GraphFile } from "./make-session.ts";
import ort from "./onnxruntime.ts";
import { toNetworkError } from "./to-network-error.ts";

export type FloatTensor = { data: Float32Array; shape: readonly number[] };

/** An input of a graph: floats, rows of token ids, a single integer, or a boolean. */
export type GraphInput =
  | FloatTensor
  | { ids: readonly (readonly number[])[] }
  | { count: number }
  | { flag: boolean };

/**
 * A loaded graph whose shapes change from run to run, as a decoder's do. It returns only the requested outputs: each one is
 * copied out of the runtime, and a decoder has hundreds of megabytes of them. `run` blocks the thread: child processes only.
 */
export class GraphSession {
  readonly #session: ort.InferenceSession;

  private constructor(session: ort.InferenceSession) {
    this.#session = session;
  }

  static async load(graph: GraphFile, options: SessionOptions): Promise<GraphSession> {
    const { session } = await createSession(graph, options);
    return new GraphSession(session);
  }

  /** Outputs in `into` are written to that memory, whose shape must match. */
  async run(
    inputs: Record<string, GraphInput>,
    outputNames: readonly string[],
    into: Record<string, FloatTensor> = {},
  ): Promise<Map<string, FloatTensor>> {
    try {
      const feeds = Object.fromEntries(
        Object.entries(inputs).map(([name, input]) => [name, toTensor(input)]),
      );
      const fetches = Object.fromEntries(
        outputNames.map((name) => [name, into[name] === undefined ? null : toTensor(into[name])]),
      );
      const results = await this.#session.run(feeds, fetches);
      return new Map(outputNames.map((name) => [name, toFloatTensor(results[name], name)]));
    } catch (error) {
      throw toNetworkError(error, "The network failed");
    }
  }
}

function toTensor(input: GraphInput): ort.Tensor {
  if ("flag" in input) return new ort.Tensor("bool", [input.flag], [1]);
  if ("count" in input) return new ort.Tensor("int64", BigInt64Array.of(BigInt(input.count)), []);
  if ("ids" in input) {
    const ids = BigInt64Array.from(input.ids.flat(), BigInt);
    return new ort.Tensor("int64", ids, [input.ids.length, input.ids[0]?.length ?? 0]);
  }
  return new ort.Tensor("float32", input.data, [...input.shape]);
}

function toFloatTensor(tensor: ort.Tensor | undefined, name: string): FloatTensor {
  if (!(tensor?.data instanceof Float32Array)) throw new Error(`the graph returned no floats for ${name}`);
  return { data: tensor.data, shape: tensor.dims };
}

export function getTensor(tensors: ReadonlyMap<string, FloatTensor>, name: string): FloatTensor {
  const tensor = tensors.get(name);
  if (tensor === undefined) throw new Error(`the graph returned no ${name}`);
  return tensor;
}
