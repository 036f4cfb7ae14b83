import ort from "onnxruntime-node";
import { EngineError } from "../engine-error.ts";

/** One input or output of a graph with the buffer that every run reads or fills. */
export type TensorPort = { readonly data: Float32Array; readonly shape: readonly number[] };

type NamedPort = TensorPort & { name: string; tensor: ort.Tensor };

/**
 * A loaded graph with fixed shapes. Its buffers are made once and reused by every run, so a run
 * leaves nothing behind for the collector. `run` blocks the thread for seconds: child processes only.
 */
export class NetworkSession {
  readonly #session: ort.InferenceSession;
  readonly #inputs: NamedPort[];
  readonly #outputs: NamedPort[];

  private constructor(session: ort.InferenceSession) {
    this.#session = session;
    this.#inputs = session.inputMetadata.map(makePort);
    this.#outputs = session.outputMetadata.map(makePort);
  }

  static async load(graphPath: string, options: { threads: number }): Promise<NetworkSession> {
    try {
      const session = await ort.InferenceSession.create(graphPath, {
        intraOpNumThreads: options.threads,
        graphOptimizationLevel: "all",
        // The arena keeps every block it ever took: htdemucs peaks at 4.8 GB with it, 2.5 GB without.
        enableCpuMemArena: false,
        // Without an arena, planned patterns only add a second copy of the plan's largest block (+0.2 GB).
        enableMemPattern: false,
      });
      return new NetworkSession(session);
    } catch (error) {
      throw toModelError(error, "The network could not be loaded");
    }
  }

  getInput(index: number, shape: readonly number[]): TensorPort {
    return getPort(this.#inputs, index, shape);
  }

  getOutput(index: number, shape: readonly number[]): TensorPort {
    return getPort(this.#outputs, index, shape);
  }

  /** Runs the graph on what the input ports hold; the results are in the output ports afterwards. */
  async run(): Promise<void> {
    try {
      await this.#session.run(toTensors(this.#inputs), toTensors(this.#outputs));
    } catch (error) {
      throw toModelError(error, "The network failed");
    }
  }
}

function makePort(metadata: ort.InferenceSession.ValueMetadata): NamedPort {
  if (!metadata.isTensor || metadata.type !== "float32") {
    throw new EngineError("model-failed", `The graph's ${metadata.name} is not a float32 tensor.`);
  }
  const shape = metadata.shape.map(Number);
  if (!shape.every((size) => size > 0)) {
    throw new EngineError("model-failed", `The graph's ${metadata.name} has no fixed shape.`);
  }
  const data = new Float32Array(shape.reduce((product, size) => product * size, 1));
  return { name: metadata.name, shape, data, tensor: new ort.Tensor("float32", data, shape) };
}

function getPort(ports: NamedPort[], index: number, shape: readonly number[]): TensorPort {
  const port = ports[index];
  if (port?.shape.join() !== shape.join()) {
    throw new EngineError(
      "model-failed",
      `The graph's port ${index} has the shape ${port?.shape.join("×")}, not ${shape.join("×")}.`,
    );
  }
  return port;
}

function toTensors(ports: NamedPort[]): Record<string, ort.Tensor> {
  return Object.fromEntries(ports.map((port) => [port.name, port.tensor]));
}

/** onnxruntime throws plain errors; running out of memory is told by its text alone. */
function toModelError(error: unknown, what: string): EngineError {
  const message = error instanceof Error ? error.message : String(error);
  const isMemory = /bad_alloc|failed to allocate|out of memory/i.test(message);
  return new EngineError(isMemory ? "out-of-memory" : "model-failed", `${what}: ${message}`, {
    cause: error,
  });
}
