import type { GraphBuilder, Value } from "../../runtime/onnx/graph-builder.ts";
import type { Weight } from "../../runtime/onnx/onnx-weights.ts";
import { convolve, type Scope } from "./convolutions.ts";

const DEPTH = 2;
const EPSILON = 1e-5;
/** Channels of onnxruntime's blocked layout on x64; other processors take any count. */
const CHANNEL_BLOCK = 16;

/**
 * The residual layers within an encoder or decoder layer: a dilated convolution to an eighth of the channels, norm,
 * GELU, then a product with a matrix back to twice the channels, norm, gate and scale.
 *
 * The second norm is not carried out on its wide tensor. Mean and variance of W·h + b follow from the mean and the
 * covariance of h, so they are had from the narrow one, and scale, norm and W become one convolution of h.
 */
export function dilatedLayers(scope: Scope, path: string, input: Value): Value {
  let value = input;
  for (let index = 0; index < DEPTH; index++) value = dilatedLayer(scope, `${path}`, index, value);
  return value;
}

function dilatedLayer({ graph, weights }: Scope, path: string, index: number, input: Value): Value {
  const module = (part: number) => `${path}.dconv.layers.${index}.${part}`;
  const node = (part: number, op: string) =>
    weights.ofNode(`/${path}/dconv/layers.${index}/layers.${index}.${part}/${op}`);
  const is2d = input.dims.length === 4;
  const dilation = 2 ** index;
  const narrow = convolve(graph, input, {
    weight: alongTime(weights.get(`${module(0)}.weight`), is2d),
    bias: weights.get(`${module(0)}.bias`),
    pads: is2d ? [0, dilation, 0, dilation] : [dilation, dilation],
    dilations: is2d ? [1, dilation] : [dilation],
  });
  // One row of the batch for each bin: a norm takes a bin's channels and slots together.
  const [, channels, ...sizes] = narrow.dims;
  const rows = is2d ? sizes[0]! : 1;
  const slots = sizes.at(-1)!;
  const byBin = is2d
    ? graph.reshape(graph.transpose(narrow, [0, 2, 1, 3]), [rows, channels!, slots])
    : narrow;
  const normed = groupNorm(graph, byBin, { scale: node(1, "Mul"), shift: node(1, "Add") });
  const hidden = graph.contribNode("Gelu", [normed], normed.dims);
  const product: Affine = {
    weight: weights.get(`${module(3)}.weight`),
    bias: weights.get(`${module(3)}.bias`),
    scale: node(4, "Mul"),
    shift: node(4, "Add"),
  };
  const features = normFeatures(graph, hidden, product, is2d);
  const gateScale = node(6, "Mul");
  const [values, gates] = [0, 1].map((half) =>
    convolve(graph, features, normedProduct(product, {
      half,
      inputs: features.dims[1]!,
      is2d,
      gain: half === 0 ? gateScale.data : undefined,
    })),
  );
  const gated = graph.mul(values!, graph.node("Sigmoid", [gates!], gates!.dims));
  return graph.add(input, gated);
}

function alongTime({ dims, data }: Weight, is2d: boolean): Weight {
  const [out, inputs, along] = dims;
  return { dims: is2d ? [out!, inputs!, 1, along!] : dims, data };
}

/** Norm over everything but the batch, then scale and shift by channel. */
export function groupNorm(
  graph: GraphBuilder,
  input: Value,
  { scale, shift }: { scale: Weight; shift: Weight },
): Value {
  const [rows, channels, slots] = input.dims;
  const flat = graph.reshape(input, [rows!, 1, channels! * slots!]);
  const one = graph.constant(Float32Array.of(1), [1]);
  const zero = graph.constant(Float32Array.of(0), [1]);
  const normed = graph.node("InstanceNormalization", [flat, one, zero], flat.dims, {
    epsilon: { float: EPSILON },
  });
  const shaped = graph.reshape(normed, input.dims);
  const byChannel = ({ data }: Weight) => graph.constant(data, [channels!, 1]);
  return graph.add(graph.mul(shaped, byChannel(scale)), byChannel(shift));
}

/** y = norm(weight · h + bias) · scale + shift. */
type Affine = { weight: Weight; bias: Weight; scale: Weight; shift: Weight };

/** h / σ, μ / σ and 1 / σ as channels, with μ and σ those of weight · h + bias; zeros fill up the channel block. */
function normFeatures(graph: GraphBuilder, hidden: Value, product: Affine, is2d: boolean): Value {
  const [rows, channels, slots] = hidden.dims as [number, number, number];
  const outputs = product.bias.data.length;
  const mean = graph.node("ReduceMean", [hidden], [rows, channels, 1], { axes: [2], keepdims: 1 });
  const centred = graph.node("Sub", [hidden, mean], hidden.dims);
  const covariance = graph.contribNode("FusedMatMul", [centred, centred], [rows, channels, channels], {
    transB: 1,
    alpha: { float: 1 / slots },
  });
  // The variance within the outputs: the mean over them of wᵀ·C·w.
  const gram = graph.constant(gramMatrix(product.weight, outputs, channels), [channels ** 2, 1]);
  const within = graph.node("MatMul", [graph.reshape(covariance, [rows, channels ** 2]), gram], [rows, 1]);
  // And the variance between the outputs' means.
  const transposed = graph.constant(transpose(product.weight.data, outputs, channels), [channels, outputs]);
  const means = graph.add(
    graph.node("MatMul", [graph.reshape(mean, [rows, channels]), transposed], [rows, outputs]),
    graph.constant(product.bias.data, [outputs]),
  );
  const average = (value: Value) => graph.node("ReduceMean", [value], [rows, 1], { axes: [1], keepdims: 1 });
  const mu = average(means);
  const apart = graph.node("Sub", [means, mu], means.dims);
  const between = average(graph.mul(apart, apart));
  const variance = graph.add(graph.add(within, between), graph.constant(Float32Array.of(EPSILON), [1]));
  const reciprocal = graph.node("Reciprocal", [graph.node("Sqrt", [variance], [rows, 1])], [rows, 1]);

  const total = channels + 2 < CHANNEL_BLOCK ? channels + 2 : Math.ceil((channels + 2) / CHANNEL_BLOCK) * CHANNEL_BLOCK;
  const muRow = graph.node("Expand", [graph.reshape(mu, [rows, 1, 1]), graph.integers([rows, 1, slots])], [rows, 1, slots]);
  const filling = new Float32Array(rows * (total - channels - 1) * slots);
  for (let row = 0; row < rows; row++) {
    filling.fill(1, row * (total - channels - 1) * slots, (row * (total - channels - 1) + 1) * slots);
  }
  const rest = graph.constant(filling, [rows, total - channels - 1, slots]);
  const stacked = graph.node("Concat", [hidden, muRow, rest], [rows, total, slots], { axis: 1 });
  const scaled = graph.mul(stacked, graph.reshape(reciprocal, [rows, 1, 1]));
  return is2d ? graph.reshape(graph.transpose(scaled, [1, 0, 2]), [1, total, rows, slots]) : scaled;
}

function gramMatrix({ data }: Weight, outputs: number, channels: number): Float32Array {
  const gram = new Float32Array(channels ** 2);
  for (let a = 0; a < channels; a++) {
    for (let b = 0; b < channels; b++) {
      let sum = 0;
      for (let out = 0; out < outputs; out++) sum += data[out * channels + a]! * data[out * channels + b]!;
      gram[a * channels + b] = sum / outputs;
    }
  }
  return gram;
}

function transpose(data: Float32Array, rows: number, columns: number): Float32Array {
  const turned = new Float32Array(data.length);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) turned[column * rows + row] = data[row * columns + column]!;
  }
  return turned;
}

/** The convolution that makes one half of the normed product from the features. */
function normedProduct(
  { weight, bias, scale, shift }: Affine,
  options: { half: number; inputs: number; is2d: boolean; gain: Float32Array | undefined },
): { weight: Weight; bias: Weight } {
  const { half, inputs, is2d, gain } = options;
  const outputs = bias.data.length / 2;
  const channels = weight.dims[1]!;
  const matrix = new Float32Array(outputs * inputs);
  const offset = new Float32Array(outputs);
  for (let out = 0; out < outputs; out++) {
    const from = half * outputs + out;
    const factor = scale.data[from]! * (gain?.[out] ?? 1);
    const row = matrix.subarray(out * inputs, (out + 1) * inputs);
    for (let channel = 0; channel < channels; channel++) {
      row[channel] = factor * weight.data[from * channels + channel]!;
    }
    row[channels] = -factor;
    row[channels + 1] = factor * bias.data[from]!;
    offset[out] = shift.data[from]! * (gain?.[out] ?? 1);
  }
  return {
    weight: { dims: is2d ? [outputs, inputs, 1, 1] : [outputs, inputs, 1], data: matrix },
    bias: { dims: [outputs], data: offset },
  };
}
