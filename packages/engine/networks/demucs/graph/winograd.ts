import type { GraphBuilder, Value } from "../../../runtime/onnx/graph-builder.ts";
import type { Weight } from "../../../runtime/onnx/onnx-weights.ts";
import { convolve } from "../../convolve.ts";

/**
 * Winograd's algorithm F(4, 3) along the bins, for 3 × 3 convolutions of a spectrum `[1, channels, bins, slots]`: four neighbouring outputs are
 * polynomials of six inputs, evaluated at the points 0, ±1, ±2 and ∞, multiplied there, and interpolated. Six products instead of twelve. The matrices
 * are those of Lavin and Gray, Fast Algorithms for Convolutional Neural Networks (2015), in their notation Bᵀ, G and Aᵀ.
 */
const TILE = 4;
const TAPS = 3;
const POINTS = TILE + TAPS - 1;

const INPUT_TO_POINTS = [
  [4, 0, -5, 0, 1, 0],
  [0, -4, -4, 1, 1, 0],
  [0, 4, -4, -1, 1, 0],
  [0, -2, -1, 2, 1, 0],
  [0, 2, -1, -2, 1, 0],
  [0, 4, 0, -5, 0, 1],
];
const KERNEL_TO_POINTS = [
  [1 / 4, 0, 0],
  [-1 / 6, -1 / 6, -1 / 6],
  [-1 / 6, 1 / 6, -1 / 6],
  [1 / 24, 1 / 12, 1 / 6],
  [1 / 24, -1 / 12, 1 / 6],
  [0, 0, 1],
] as const;
const POINTS_TO_OUTPUT = [
  [1, 1, 1, 1, 1, 0],
  [0, 1, -1, 2, -2, 0],
  [0, 1, 1, 4, 4, 0],
  [0, 1, -1, 8, -8, 1],
];
/** The point that counts once in all four outputs: a bias is added there. */
const BIAS_POINT = 1;

/** Whether a convolution's weight `[outputs, inputs, …kernel]` is 3 × 3, and the bins fill the tiles. */
export function isTiled({ dims }: Weight, input: Value): boolean {
  return dims.length === 4 && dims[2] === TAPS && dims[3] === TAPS && input.dims[2]! % TILE === 0;
}

/** `[1, channels, bins, slots]` to `[1, points · channels, bins / 4, slots]`; the number of bins is a multiple of four. */
export function toPoints(graph: GraphBuilder, input: Value): Value {
  const [, channels, bins, slots] = input.dims as [number, number, number, number];
  const apart = convolve(graph, graph.reshape(input, [channels, 1, bins, slots]), {
    weight: { dims: [POINTS, 1, POINTS, 1], data: Float32Array.from(INPUT_TO_POINTS.flat()) },
    bias: { dims: [POINTS], data: new Float32Array(POINTS) },
    strides: [TILE, 1],
    pads: [1, 0, 1, 0],
  });
  const byPoint = graph.transpose(apart, [1, 0, 2, 3]);
  return graph.reshape(byPoint, [1, POINTS * channels, bins / TILE, slots]);
}

/** Convolves what `toPoints` made. Returns the four rows of the tiles one after another: `[4, outputs, bins / 4, slots]`. */
export function convolvePoints(
  graph: GraphBuilder,
  points: Value,
  { weight, bias }: { weight: Weight; bias: Weight },
): Value {
  const [, , tiles, slots] = points.dims as [number, number, number, number];
  const outputs = bias.data.length;
  const biases = new Float32Array(POINTS * outputs);
  biases.set(bias.data, BIAS_POINT * outputs);
  const products = convolve(graph, points, {
    weight: toPointWeights(weight),
    bias: { dims: [POINTS * outputs], data: biases },
    pads: [0, 1, 0, 1],
    groups: POINTS,
  });
  const size = outputs * tiles * slots;
  const matrix = graph.constant(Float32Array.from(POINTS_TO_OUTPUT.flat()), [TILE, POINTS]);
  const rows = graph.node("MatMul", [matrix, graph.reshape(products, [POINTS, size])], [TILE, size]);
  return graph.reshape(rows, [TILE, outputs, tiles, slots]);
}

/** Rows of tiles in their order: `[4, channels, bins / 4, slots]` to `[1, channels, bins, slots]`. */
export function fromTileRows(graph: GraphBuilder, rows: Value): Value {
  const [, channels, tiles, slots] = rows.dims as [number, number, number, number];
  const inOrder = graph.transpose(rows, [1, 2, 0, 3]);
  return graph.reshape(inOrder, [1, channels, tiles * TILE, slots]);
}

/** `[outputs, inputs, 3, 3]` to `[points · outputs, inputs, 1, 3]`. */
function toPointWeights({ dims, data }: Weight): Weight {
  const [outputs, inputs] = dims as [number, number];
  const size = outputs * inputs * TAPS;
  const turned = new Float32Array(POINTS * size);
  for (const [point, [first, second, third]] of KERNEL_TO_POINTS.entries()) {
    const start = point * size;
    for (let at = 0, kernel = 0; at < size; at += TAPS, kernel += TAPS * TAPS) {
      for (let slot = 0; slot < TAPS; slot++) {
        const top = kernel + slot;
        const sum = first * data[top]! + second * data[top + TAPS]! + third * data[top + 2 * TAPS]!;
        turned[start + at + slot] = sum;
      }
    }
  }
  return { dims: [POINTS * outputs, inputs, 1, TAPS], data: turned };
}
