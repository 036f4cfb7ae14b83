import type { Value } from "../../../runtime/onnx/graph-builder.ts";
import type { HtdemucsGraph } from "./htdemucs-graph.ts";
import { decoderLayer, encoderLayer } from "./layers.ts";

export const DEPTH = 4;
const FREQUENCY_CODE_GAIN = 0.2;

/** The outputs of a branch's four encoder layers. */
export function encodeBranch(scope: HtdemucsGraph, branch: "encoder" | "tencoder", input: Value): Value[] {
  const outputs: Value[] = [];
  let value = input;
  for (let index = 0; index < DEPTH; index++) {
    value = encoderLayer(scope, `${branch}.${index}`, value);
    if (branch === "encoder" && index === 0) value = addFrequencyCode(scope, value);
    outputs.push(value);
  }
  return outputs;
}

/** From the transformer's output and those of the four encoder layers. `lengths` are those of the encoder layers' inputs. */
export function decodeBranch(
  scope: HtdemucsGraph,
  branch: "decoder" | "tdecoder",
  { middle, encoded, lengths }: { middle: Value; encoded: readonly Value[]; lengths: readonly number[] },
): Value {
  let value = middle;
  for (let index = 0; index < DEPTH; index++) {
    const level = DEPTH - 1 - index;
    const layer = { input: value, skip: encoded[level]!, length: lengths[level]!, isLast: level === 0 };
    value = decoderLayer(scope, `${branch}.${index}`, layer);
  }
  return value;
}

/** Frequency embedding: the first layer's convolutions see four bins at a time and can't know where in the spectrum they are. */
function addFrequencyCode({ graph, weights }: HtdemucsGraph, value: Value): Value {
  const { dims, data } = weights.ofNode("/Expand");
  const code = data.map((part) => part * FREQUENCY_CODE_GAIN);
  return graph.add(value, graph.constant(code, dims));
}
