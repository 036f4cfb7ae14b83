import type { GraphBuilder, Value } from "../../../runtime/onnx/graph-builder.ts";

export const NORM_EPSILON = 1e-5;

/** Normalises each row of a batch to mean 0 and variance 1 over all its other axes. */
export function normRows(graph: GraphBuilder, input: Value): Value {
  const [rows, ...rest] = input.dims as [number, ...number[]];
  const size = rest.reduce((product, length) => product * length, 1);
  const flat = graph.reshape(input, [rows, 1, size]);
  const scale = graph.floats([1]);
  const shift = graph.floats([0]);
  const normed = graph.node("InstanceNormalization", [flat, scale, shift], flat.dims, {
    epsilon: { float: NORM_EPSILON },
  });
  return graph.reshape(normed, input.dims);
}
