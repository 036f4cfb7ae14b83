import { GraphBuilder, type Value } from "../runtime/onnx/graph-builder.ts";
import type { WeightsByName } from "./weights-by-name.ts";

type Shape = readonly number[];

/** A part of a network as an ONNX file; its inputs and outputs by their names in the chain. */
export type NetworkPart = Record<"inputs" | "outputs", { name: string; shape: Shape }[]> & {
  file: Uint8Array;
};

/** Builds a part. onnxruntime keeps the buffers of a graph's first layers until its last, so a large network is cut into several. */
export class PartBuilder<Config> {
  readonly graph = new GraphBuilder();
  readonly weights: WeightsByName;
  readonly config: Config;
  readonly #inputs: NetworkPart["inputs"] = [];
  readonly #outputs: NetworkPart["outputs"] = [];

  constructor({ weights, config }: { weights: WeightsByName; config: Config }) {
    this.weights = weights;
    this.config = config;
  }

  input(name: string, shape: Shape): Value {
    this.#inputs.push({ name, shape });
    return this.graph.input(name, shape);
  }

  output(name: string, value: Value): void {
    this.#outputs.push({ name, shape: value.dims });
    this.graph.output(value);
  }

  build(): NetworkPart {
    return { file: this.graph.toBytes(), inputs: this.#inputs, outputs: this.#outputs };
  }
}
