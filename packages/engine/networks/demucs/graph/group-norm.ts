import type { GraphBuilder, Value } from "../../../runtime/onnx/graph-builder.ts";
import type { Weight } from "../../../runtime/onnx/onnx-weights.ts";

export const NORM_EPSILON = 1e-5;

/** Normalises each row of a batch to mean 0 and variance 1 over all its other axes. */
export function normRows(graph: GraphBuilder, input: Value): Value {
  const [rows, ...rest] = input.dims as [number, ...number[]];
  const size = rest.reduce((product, length) => product * length, 1);
  return normParts(graph, input, [rows, 1, size]);
}

/** The same for groups of channels, with a scale and a shift for each channel. */
export function normGroups(
  graph: GraphBuilder,
  input: Value,
  { groups, scale, shift }: { groups: number; scale: Weight; shift: Weight },
): Value {
  const [rows, channels, ...rest] = input.dims as [number, number, ...number[]];
  const size = rest.reduce((product, length) => product * length, channels / groups);
  const normed = normParts(graph, input, [rows, groups, size]);
  const byChannel = ({ data }: Weight) => graph.constant(data, [channels, ...rest.map(() => 1)]);
  return graph.add(graph.mul(normed, byChannel(scale)), byChannel(shift));
}

function normParts(graph: GraphBuilder, input: Value, shape: readonly [number, number, number]): Value {
  const flat = graph.reshape(input, shape);
  const groups = shape[1];
  const scale = graph.floats(Array(groups).fill(1));
  const shift = graph.floats(Array(groups).fill(0));
  const normed = graph.node("InstanceNormalization", [flat, scale, shift], flat.dims, {
    epsilon: { float: NORM_EPSILON },
  });
  return graph.reshape(normed, input.dims);
}
