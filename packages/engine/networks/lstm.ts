import type { GraphBuilder, Value } from "../runtime/onnx/graph-builder.ts";
import type { Weight } from "../runtime/onnx/onnx-weights.ts";
import type { WeightsByName } from "./weights-by-name.ts";

/** PyTorch orders the gates input, forget, cell, output; ONNX input, output, forget, cell. */
const GATES = [0, 3, 1, 2];

/** One bidirectional layer of `torch.nn.LSTM` over `[length, rows, inputs]`. Returns `[length, 2, rows, hidden]`: both directions apart. */
export function biLstm(
  graph: GraphBuilder,
  weights: WeightsByName,
  { name, layer = 0, input }: { name: string; layer?: number; input: Value },
): Value {
  const [length, rows] = input.dims as [number, number, number];
  const read = (kind: string) =>
    ["", "_reverse"].map((direction) => toGates(weights.get(`${name}.${kind}_l${layer}${direction}`)));
  const stack = (parts: readonly Weight[], dims: readonly number[]) =>
    graph.constant(join(parts), [2, ...dims]);
  const [inner, outer] = [read("weight_ih"), read("weight_hh")];
  const hidden = outer[0]!.dims[1]!;
  const [innerBias, outerBias] = [read("bias_ih"), read("bias_hh")];
  const biases = [innerBias[0]!, outerBias[0]!, innerBias[1]!, outerBias[1]!];
  return graph.node(
    "LSTM",
    [input, stack(inner, inner[0]!.dims), stack(outer, outer[0]!.dims), stack(biases, [8 * hidden])],
    [length, 2, rows, hidden],
    { hidden_size: hidden, direction: { text: "bidirectional" } },
  );
}

function toGates({ dims, data }: Weight): Weight {
  const size = data.length / GATES.length;
  const ordered = new Float32Array(data.length);
  GATES.forEach((from, to) => {
    ordered.set(data.subarray(from * size, (from + 1) * size), to * size);
  });
  return { dims, data: ordered };
}

function join(parts: readonly Weight[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { data }) => sum + data.length, 0));
  let at = 0;
  for (const { data } of parts) {
    all.set(data, at);
    at += data.length;
  }
  return all;
}
