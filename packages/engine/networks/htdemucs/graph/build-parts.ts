import { GraphBuilder, type Value } from "../../../runtime/onnx/graph-builder.ts";
import type { OnnxWeights } from "../../../runtime/onnx/onnx-weights.ts";
import { linear, linearInBytes } from "../../linear.ts";
import { DEPTH, decodeBranch, encodeBranch } from "./branches.ts";
import { crossTransformer } from "./transformer.ts";

type Shape = readonly number[];

/** A part of the network as an ONNX file, with the shapes of its inputs and outputs in order. */
export type GraphPart = { file: Uint8Array; inputs: Shape[]; outputs: Shape[] };

/**
 * From a branch's input to the outputs of its four layers. The network is split into five graphs because onnxruntime plans a graph's memory as a
 * whole and keeps buffers of the first layers until the last: 2.6 GB as one graph, 1.1 GB as five.
 */
export function buildEncoder(weights: OnnxWeights, branch: "encoder" | "tencoder", input: Shape): GraphPart {
  const part = new PartBuilder();
  const outputs = encodeBranch({ graph: part.graph, weights }, branch, part.input(input));
  for (const value of outputs) part.output(value);
  return part.build();
}

/** Takes the bottom outputs of both branches and returns them in the same shapes. */
export function buildTransformer(
  weights: OnnxWeights,
  { spectrum, waveform, inBytes }: { spectrum: Shape; waveform: Shape; inBytes: boolean },
): GraphPart {
  const part = new PartBuilder();
  const inputs = [part.input(spectrum), part.input(waveform)] as const;
  const scope = { graph: part.graph, weights, multiply: inBytes ? linearInBytes : linear };
  const transformed = crossTransformer(scope, ...inputs);
  part.output(transformed.spectrum);
  part.output(transformed.waveform);
  return part.build();
}

/** From the transformer's output and those of the four encoder layers, deepest first. */
export function buildDecoder(
  weights: OnnxWeights,
  branch: "decoder" | "tdecoder",
  {
    input,
    encoded: shapes,
    sparesProducts,
  }: { input: Shape; encoded: readonly Shape[]; sparesProducts: boolean },
): GraphPart {
  const part = new PartBuilder();
  const lengths = [input, ...shapes].map((shape) => shape[2]!);
  const middle = part.input(shapes[DEPTH - 1]!);
  const encoded = shapes
    .toReversed()
    .map((shape) => part.input(shape))
    .toReversed();
  const scope = { graph: part.graph, weights, sparesProducts };
  part.output(decodeBranch(scope, branch, { middle, encoded, lengths }));
  return part.build();
}

class PartBuilder {
  readonly graph = new GraphBuilder();
  readonly #inputs: Shape[] = [];
  readonly #outputs: Shape[] = [];

  input(shape: Shape): Value {
    this.#inputs.push(shape);
    return this.graph.input(`input${this.#inputs.length}`, shape);
  }

  output(value: Value): void {
    this.#outputs.push(value.dims);
    this.graph.output(value);
  }

  build(): GraphPart {
    return { file: this.graph.toBytes(), inputs: this.#inputs, outputs: this.#outputs };
  }
}
