import { EngineError } from "../engine-error.ts";
import { type CreatedSession, createSession, type SessionOptions } from "./create-session.ts";
import type { ExecutionProvider } from "./execution-provider.ts";
import type { GraphFile } from "./make-session.ts";
import ort from "./onnxruntime.ts";
import { toNetworkError } from "./to-network-error.ts";

/** An input or output of a graph, and the buffer that every run reads or fills. */
export type TensorPort = { readonly data: Float32Array; readonly shape: readonly number[] };

/** What an input that stays the same may hold: numbers of a network. */
export type TensorData = Float32Array | Int8Array;

type NamedPort = TensorPort & { name: string; tensor: ort.Tensor };

/**
 * A loaded graph. The requested shapes of its ports hold for every run; its buffers are allocated once and reused, so a run creates no
 * garbage. `run` blocks the thread for seconds: child processes only.
 */
export class NetworkSession {
  readonly executionProvider: ExecutionProvider;
  readonly #session: ort.InferenceSession;
  readonly #inputs = new Map<string, NamedPort>();
  readonly #outputs = new Map<string, NamedPort>();
  readonly #constants = new Map<string, ort.Tensor>();

  private constructor({ session, executionProvider }: CreatedSession) {
    this.#session = session;
    this.executionProvider = executionProvider;
  }

  static async load(graph: GraphFile, options: SessionOptions): Promise<NetworkSession> {
    return new NetworkSession(await createSession(graph, options));
  }

  /** With a new buffer or a given one, so that one graph can read another's output. A later call replaces the buffer. */
  getInput(index: number, shape: readonly number[], data?: Float32Array): TensorPort {
    return openPort(this.#inputs, this.#session.inputMetadata[index], { shape, data });
  }

  /** Weights that are no part of the graph, so that one graph serves many layers. */
  setConstant(index: number, shape: readonly number[], data: TensorData): void {
    const metadata = this.#session.inputMetadata[index];
    const type = data instanceof Int8Array ? "int8" : "float32";
    if (!metadata?.isTensor || metadata.type !== type)
      throw new EngineError(
        "network-failed",
        `The graph's ${metadata?.name ?? "port"} is no ${type} tensor.`,
      );
    const tensor =
      data instanceof Int8Array
        ? new ort.Tensor("int8", data, shape)
        : new ort.Tensor("float32", data, shape);
    this.#constants.set(metadata.name, tensor);
  }

  getOutput(index: number, shape: readonly number[], data?: Float32Array): TensorPort {
    return openPort(this.#outputs, this.#session.outputMetadata[index], { shape, data });
  }

  /** Runs the graph from its input buffers to its output buffers. */
  async run(): Promise<void> {
    try {
      const feeds = { ...Object.fromEntries(this.#constants), ...toTensors(this.#inputs) };
      await this.#session.run(feeds, toTensors(this.#outputs));
    } catch (error) {
      throw toNetworkError(error, "The network failed");
    }
  }
}

/** A free dimension of the graph takes the requested size; a fixed one must match it. */
function openPort(
  ports: Map<string, NamedPort>,
  metadata: ort.InferenceSession.ValueMetadata | undefined,
  { shape, data: given }: { shape: readonly number[]; data: Float32Array | undefined },
): TensorPort {
  if (!metadata?.isTensor || metadata.type !== "float32") {
    throw new EngineError(
      "network-failed",
      `The graph's ${metadata?.name ?? "port"} is not a float32 tensor.`,
    );
  }
  const { name } = metadata;
  const isFitting = metadata.shape.length === shape.length;
  if (
    !isFitting ||
    metadata.shape.some((size, axis) => typeof size === "number" && size > 0 && size !== shape[axis])
  ) {
    throw new EngineError(
      "network-failed",
      `The graph's ${name} has the shape ${metadata.shape.join("×")}, not ${shape.join("×")}.`,
    );
  }
  const data = given ?? new Float32Array(shape.reduce((product, size) => product * size, 1));
  const port = { name, shape, data, tensor: new ort.Tensor("float32", data, shape) };
  ports.set(name, port);
  return port;
}

function toTensors(ports: Map<string, NamedPort>): Record<string, ort.Tensor> {
  return Object.fromEntries([...ports.values()].map((port) => [port.name, port.tensor]));
}
