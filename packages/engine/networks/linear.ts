import type { GraphBuilder, Value } from "../runtime/onnx/graph-builder.ts";
import type { Weight } from "../runtime/onnx/onnx-weights.ts";

/** A linear layer: a matrix `[inputs, outputs]` and its bias. */
export type Linear = { weight: Weight; bias: Weight };

type Product = { weight: Weight; bias?: Weight };

export type Multiply = (graph: GraphBuilder, input: Value, product: Product) => Value;

const LARGEST_BYTE = 127;
const SQUARE = 16;

export const linear: Multiply = (graph, input, { weight, bias }) => {
  const product = graph.node("MatMul", [input, graph.weight(weight)], input.dims.with(-1, weight.dims[1]!));
  return bias === undefined ? product : graph.add(product, graph.weight(bias));
};

/** The same in int8: a scale per output for the weights, one for the input, computed at each run. */
export const linearInBytes: Multiply = (graph, input, { weight, bias }) => {
  const { bytes, scales } = toByteColumns(weight);
  const outputs = scales.length;
  const operands = [
    graph.quantized(bytes, weight.dims),
    graph.constant(scales, [outputs]),
    graph.quantized(new Int8Array(outputs), [outputs]),
    ...(bias === undefined ? [] : [graph.weight(bias)]),
  ];
  return graph.contribNode("DynamicQuantizeMatMul", [input, ...operands], input.dims.with(-1, outputs));
};

/** Loops over rows and avoids branches: a call for each of twenty million values would take seconds, and so would a branch on the sign. */
function toByteColumns({ dims, data }: Weight): { bytes: Int8Array; scales: Float32Array } {
  const [, outputs] = dims as [number, number];
  const { length } = data;
  const largest = new Float32Array(outputs);
  for (let start = 0; start < length; start += outputs) {
    for (let at = 0; at < outputs; at++) {
      const size = Math.abs(data[start + at]!);
      if (size > largest[at]!) largest[at] = size;
    }
  }
  const scales = largest.map((size) => size / LARGEST_BYTE);
  const factors = scales.map((scale) => 1 / scale);
  const bits = new Int32Array(data.buffer, data.byteOffset, length);
  const bytes = new Int8Array(length);
  for (let start = 0; start < length; start += outputs) {
    for (let at = 0; at < outputs; at++) {
      const size = (Math.abs(data[start + at]!) * factors[at]! + 0.5) | 0;
      // −1 for a negative number, whose bits are then inverted, else 0.
      const sign = bits[start + at]! >> 31;
      bytes[start + at] = (size ^ sign) - sign;
    }
  }
  return { bytes, scales };
}

/** `count` outputs starting at `from`. */
export function takeOutputs({ weight, bias }: Linear, from: number, count: number): Linear {
  return {
    weight: takeColumns(weight, from, count),
    bias: { dims: [count], data: bias.data.subarray(from, from + count) },
  };
}

export function takeColumns(weight: Weight, from: number, count: number): Weight {
  const [inputs, outputs] = weight.dims as [number, number];
  const data = new Float32Array(inputs * count);
  for (let row = 0; row < inputs; row++) {
    const start = row * outputs + from;
    data.set(weight.data.subarray(start, start + count), row * count);
  }
  return { dims: [inputs, count], data };
}

/** Multiplies each output by its factor, in place. */
export function scaleOutputs(matrix: Linear, factors: Weight): Linear {
  multiplyRows(matrix.weight.data, factors.data);
  multiplyRows(matrix.bias.data, factors.data);
  return matrix;
}

/** Transposes `[outputs, inputs]`, the layout of trained modules. */
export function transposed({ dims, data }: Weight): Weight {
  const [outputs, inputs] = dims as [number, number];
  const turned = new Float32Array(data.length);
  // In square tiles: a whole column would evict its own cache lines.
  for (let top = 0; top < outputs; top += SQUARE) {
    const bottom = Math.min(outputs, top + SQUARE);
    for (let input = 0; input < inputs; input++) {
      for (let output = top; output < bottom; output++) {
        turned[input * outputs + output] = data[output * inputs + input]!;
      }
    }
  }
  return { dims: [inputs, outputs], data: turned };
}

function multiplyRows(matrix: Float32Array, factors: Float32Array): void {
  const { length } = factors;
  for (let start = 0; start < matrix.length; start += length) {
    for (let at = 0; at < length; at++) matrix[start + at]! *= factors[at]!;
  }
}
