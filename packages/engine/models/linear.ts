import type { GraphBuilder, Value } from "../runtime/onnx/graph-builder.ts";
import type { Weight } from "../runtime/onnx/onnx-weights.ts";

/** A matrix `[inputs, outputs]` and what is added to its product. */
export type Linear = { weight: Weight; bias: Weight };

const LARGEST_BYTE = 127;

export function linear(graph: GraphBuilder, input: Value, { weight, bias }: Linear): Value {
  const dims = [...input.dims.slice(0, -1), weight.dims[1]!];
  return graph.add(graph.node("MatMul", [input, graph.weight(weight)], dims), graph.weight(bias));
}

/** The same in bytes: a scale for each output's weights, and one for the input, found at each run. */
export function linearInBytes(graph: GraphBuilder, input: Value, { weight, bias }: Linear): Value {
  const { bytes, scales } = toByteColumns(weight);
  const outputs = scales.length;
  const operands = [
    graph.quantized(bytes, weight.dims),
    graph.constant(scales, [outputs]),
    graph.quantized(new Int8Array(outputs), [outputs]),
    graph.weight(bias),
  ];
  return graph.contribNode("DynamicQuantizeMatMul", [input, ...operands], input.dims.with(-1, outputs));
}

/** Loops over rows: a call for each of ten million numbers would take seconds. */
function toByteColumns({ dims, data }: Weight): { bytes: Int8Array; scales: Float32Array } {
  const [, outputs] = dims as [number, number];
  const scales = new Float32Array(outputs);
  for (let start = 0; start < data.length; start += outputs) {
    for (let at = 0; at < outputs; at++) {
      const size = Math.abs(data[start + at]!) / LARGEST_BYTE;
      if (size > scales[at]!) scales[at] = size;
    }
  }
  const bytes = new Int8Array(data.length);
  const factors = scales.map((scale) => 1 / scale);
  for (let start = 0; start < data.length; start += outputs) {
    for (let at = 0; at < outputs; at++) {
      const value = data[start + at]! * factors[at]!;
      // An array of bytes cuts off what is behind the point.
      bytes[start + at] = value < 0 ? value - 0.5 : value + 0.5;
    }
  }
  return { bytes, scales };
}

/** Its outputs from `from` on, as many as `count`. */
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

/** With each output multiplied by a factor of its own. */
export function scaleOutputs({ weight, bias }: Linear, factors: Weight): Linear {
  return {
    weight: { dims: weight.dims, data: multiplyRows(weight.data, factors.data) },
    bias: { dims: bias.dims, data: multiplyRows(bias.data, factors.data) },
  };
}

/** From the layout `[outputs, inputs]` of trained modules. */
export function transposed({ dims, data }: Weight): Weight {
  const [outputs, inputs] = dims as [number, number];
  const turned = new Float32Array(data.length);
  for (let input = 0; input < inputs; input++) {
    for (let output = 0; output < outputs; output++) {
      turned[input * outputs + output] = data[output * inputs + input]!;
    }
  }
  return { dims: [inputs, outputs], data: turned };
}

function multiplyRows(matrix: Float32Array, factors: Float32Array): Float32Array {
  const product = new Float32Array(matrix.length);
  for (let start = 0; start < matrix.length; start += factors.length) {
    for (let at = 0; at < factors.length; at++) product[start + at] = matrix[start + at]! * factors[at]!;
  }
  return product;
}
