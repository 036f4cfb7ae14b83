import { GraphBuilder, type Value } from "../../runtime/onnx/graph-builder.ts";
import type { OnnxWeights } from "../../runtime/onnx/onnx-weights.ts";
import { decoderLayer, encoderLayer } from "./convolutions.ts";
import { crossTransformer } from "./transformer.ts";

const DEPTH = 4;
const FREQUENCY_EMBEDDING_SCALE = 0.2;

export type Port = { name: string; dims: readonly number[] };
export type NetworkPart = { graph: Uint8Array; inputs: Port[]; outputs: Port[] };

class PartBuilder {
  readonly graph = new GraphBuilder();
  readonly inputs: Port[] = [];
  readonly outputs: Port[] = [];

  input(port: Port): Value {
    this.inputs.push(port);
    return this.graph.input(port.name, port.dims);
  }

  output(name: string, value: Value): Port {
    this.graph.output(name, value);
    const port = { name, dims: value.dims };
    this.outputs.push(port);
    return port;
  }

  build(): NetworkPart {
    return { graph: this.graph.toBytes(), inputs: this.inputs, outputs: this.outputs };
  }
}

export function encoderPart(weights: OnnxWeights, branch: "encoder" | "tencoder", input: Port): NetworkPart {
  const part = new PartBuilder();
  const { graph } = part;
  let value = part.input(input);
  for (let index = 0; index < DEPTH; index++) {
    value = encoderLayer({ graph, weights }, `${branch}.${index}`, value);
    if (index === 0 && branch === "encoder") {
      const embedding = weights.ofNode("/Expand");
      value = graph.add(value, graph.constant(embedding.data.map((v) => v * FREQUENCY_EMBEDDING_SCALE), embedding.dims));
    }
    part.output(`${branch}.${index}`, value);
  }
  return part.build();
}

export function transformerPart(weights: OnnxWeights, spectrum: Port, waveform: Port): NetworkPart {
  const part = new PartBuilder();
  const [a, b] = crossTransformer({ graph: part.graph, weights }, part.input(spectrum), part.input(waveform));
  part.output("transformed", a);
  part.output("transformed_t", b);
  return part.build();
}

export function decoderPart(weights: OnnxWeights, branch: "decoder" | "tdecoder", from: { input: Port; skips: Port[]; lengths: number[] }): NetworkPart {
  const part = new PartBuilder();
  const { graph } = part;
  let value = part.input(from.input);
  for (let index = 0; index < DEPTH; index++) {
    const skip = part.input(from.skips[DEPTH - 1 - index]!);
    value = decoderLayer({ graph, weights }, `${branch}.${index}`, { input: value, skip, length: from.lengths[DEPTH - 1 - index]!, isLast: index === DEPTH - 1 });
  }
  part.output(branch, value);
  return part.build();
}
