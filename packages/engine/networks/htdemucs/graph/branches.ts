import type { Value } from "../../../runtime/onnx/graph-builder.ts";
import { decoderLayer, encoderLayer } from "./layers.ts";
import type { Scope } from "./scope.ts";

export const DEPTH = 4;
const FREQUENCY_CODE_GAIN = 0.2;

/** Down, from a branch's input to the outputs of its four layers. */
export function encode(scope: Scope, branch: "encoder" | "tencoder", input: Value): Value[] {
  const outputs: Value[] = [];
  let value = input;
  for (let index = 0; index < DEPTH; index++) {
    value = encoderLayer(scope, `${branch}.${index}`, value);
    if (branch === "encoder" && index === 0) value = addFrequencyCode(scope, value);
    outputs.push(value);
  }
  return outputs;
}

/** Up again: from the transformer's output and the encoder's four. The lengths are those of what the encoder's layers heard. */
export function decode(
  scope: Scope,
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

/** Tells the first layer's convolutions, which see four bins at a time, where in the spectrum they are. */
function addFrequencyCode({ graph, weights }: Scope, value: Value): Value {
  const { dims, data } = weights.ofNode("/Expand");
  const code = data.map((part) => part * FREQUENCY_CODE_GAIN);
  return graph.add(value, graph.constant(code, dims));
}
