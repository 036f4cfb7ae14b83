import type { GraphBuilder, Value } from "../../../runtime/onnx/graph-builder.ts";
import type { Weight } from "../../../runtime/onnx/onnx-weights.ts";
import { transposed } from "../../linear.ts";

/**
 * A depthwise convolution along the middle axis of `[rows, length, width]` with a residual connection; `weight` is `[taps, width]`. Written as a 2-D
 * convolution, whose operator on x64 is fast and needs no transposition.
 */
export function addTaps(graph: GraphBuilder, tokens: Value, weight: Weight): Value {
  const [rows, length, width] = tokens.dims as [number, number, number];
  const taps = weight.dims[0]!;
  const data = weight.data.slice();
  const middle = (taps >> 1) * width;
  // The residual connection.
  for (let at = 0; at < width; at++) data[middle + at]! += 1;
  const kernel = graph.constant(transposed({ dims: weight.dims, data }).data, [width, 1, taps, 1]);
  const image = graph.transpose(graph.reshape(tokens, [rows, length, 1, width]), [0, 3, 1, 2]);
  const convolved = graph.node("Conv", [image, kernel], image.dims, {
    group: width,
    kernel_shape: [taps, 1],
    pads: [taps >> 1, 0, taps >> 1, 0],
  });
  return graph.reshape(graph.transpose(convolved, [0, 2, 3, 1]), tokens.dims);
}
