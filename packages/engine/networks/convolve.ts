import type { GraphBuilder, Value } from "../runtime/onnx/graph-builder.ts";
import type { Weight } from "../runtime/onnx/onnx-weights.ts";

export type Convolution = {
  /** `[outputs, inputs, …kernel]`. */
  weight: Weight;
  bias?: Weight;
  strides?: number[];
  pads?: number[];
  dilations?: number[];
  /** Splits inputs and outputs into this many independent convolutions. */
  groups?: number;
};

export function convolve(graph: GraphBuilder, input: Value, convolution: Convolution): Value {
  const { weight, bias } = convolution;
  const [outputs, , ...kernel] = weight.dims as [number, number, ...number[]];
  const axes = kernel.length;
  const {
    strides = kernel.map(() => 1),
    pads = Array<number>(2 * axes).fill(0),
    dilations = kernel.map(() => 1),
    groups = 1,
  } = convolution;
  const sizes = kernel.map((size, axis) => {
    const padded = input.dims[axis + 2]! + pads[axis]! + pads[axis + axes]!;
    return Math.floor((padded - (size - 1) * dilations[axis]! - 1) / strides[axis]!) + 1;
  });
  const dims = [input.dims[0]!, outputs, ...sizes];
  const operands = [input, graph.weight(weight), ...(bias ? [graph.weight(bias)] : [])];
  return graph.node("Conv", operands, dims, {
    kernel_shape: kernel,
    strides,
    pads,
    dilations,
    group: groups,
  });
}
