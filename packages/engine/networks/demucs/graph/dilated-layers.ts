import type { GraphBuilder, Value } from "../../../runtime/onnx/graph-builder.ts";
import type { Weight } from "../../../runtime/onnx/onnx-weights.ts";
import { convolve } from "../../convolve.ts";
import { transposed } from "../../linear.ts";
import { countModules, type DemucsGraph } from "./demucs-graph.ts";
import { NORM_EPSILON, normRows } from "./group-norm.ts";
import { localAttention } from "./local-attention.ts";
import { recurrentLayers } from "./recurrent-layers.ts";

/** onnxruntime blocks channels by this many on x64, and does not do it for convolutions whose inputs do not fill a block. */
const CHANNEL_BLOCK = 16;

/**
 * The residual layers within an encoder or decoder layer: a dilated convolution to an eighth of the channels, norm, GELU, in the innermost layers of v3 a
 * recurrent network and attention, a matrix to twice the channels, norm, gate, scale.
 *
 * The second norm is not computed on its wide tensor. Mean and variance of W·h + b follow from the mean and covariance of h, so they come from the narrow
 * one; matrix, norm, scale and the gate's scale become one convolution.
 */
export function dilatedLayers(scope: DemucsGraph, path: string, input: Value): Value {
  const depth = countModules(scope.weights, (index) => `${path}.dconv.layers.${index}.0.weight`);
  let value = input;
  for (let index = 0; index < depth; index++) value = dilatedLayer(scope, { path, index }, value);
  return value;
}

function dilatedLayer(scope: DemucsGraph, layer: { path: string; index: number }, input: Value): Value {
  const { graph } = scope;
  const parameters = readParameters(scope, layer);
  const isSpectrum = input.dims.length === 4;
  const dilation = scope.config.dilates ? 2 ** layer.index : 1;
  const margin = (dilation * (parameters.weight.dims[2]! - 1)) / 2;
  const narrow = convolve(graph, input, {
    weight: isSpectrum ? alongSlots(parameters.weight) : parameters.weight,
    bias: parameters.bias,
    pads: isSpectrum ? [0, margin, 0, margin] : [margin, margin],
    dilations: isSpectrum ? [1, dilation] : [dilation],
  });
  const rows = isSpectrum ? toBinRows(graph, narrow) : narrow;
  const byChannel = ({ data }: Weight) => graph.constant(data, [data.length, 1]);
  const scaled = graph.mul(normRows(graph, rows), byChannel(parameters.scale));
  let hidden = graph.gelu(graph.add(scaled, byChannel(parameters.shift)));
  if (parameters.recurrent) hidden = recurrentLayers(scope, parameters.recurrent, hidden);
  if (parameters.attention) hidden = localAttention(scope, parameters.attention, hidden);
  const { product, gateScale } = parameters;
  const features = normFeatures(graph, hidden, product);
  const placed = isSpectrum ? fromBinRows(graph, features) : features;
  const [values, gates] = [gateScale.data, undefined].map((gain, half) =>
    convolve(graph, placed, normedHalf(product, { half, inputs: features.dims[1]!, isSpectrum, gain })),
  );
  return graph.add(input, graph.mul(values!, graph.sigmoid(gates!)));
}

/** y = norm(weight · h + bias) · scale + shift. */
type NormedProduct = { weight: Weight; bias: Weight; scale: Weight; shift: Weight };

function readParameters({ weights }: DemucsGraph, { path, index }: { path: string; index: number }) {
  const layer = `${path}.dconv.layers.${index}`;
  const get = (part: number, name: string) => weights.get(`${layer}.${part}.${name}`);
  const hasRecurrent = weights.has(`${layer}.3.lstm.weight_ih_l0`);
  const attentionAt = hasRecurrent ? 4 : 3;
  const hasAttention = weights.has(`${layer}.${attentionAt}.content.weight`);
  const productAt = attentionAt + (hasAttention ? 1 : 0);
  const product: NormedProduct = {
    weight: get(productAt, "weight"),
    bias: get(productAt, "bias"),
    scale: get(productAt + 1, "weight"),
    shift: get(productAt + 1, "bias"),
  };
  return {
    weight: get(0, "weight"),
    bias: get(0, "bias"),
    scale: get(1, "weight"),
    shift: get(1, "bias"),
    recurrent: hasRecurrent ? `${layer}.3` : undefined,
    attention: hasAttention ? `${layer}.${attentionAt}` : undefined,
    product,
    gateScale: get(productAt + 3, "scale"),
  };
}

function alongSlots({ dims, data }: Weight): Weight {
  const [outputs, inputs, length] = dims as [number, number, number];
  return { dims: [outputs, inputs, 1, length], data };
}

/** `[1, channels, bins, slots]` to `[bins, channels, slots]`: each bin is normalised separately. */
function toBinRows(graph: GraphBuilder, value: Value): Value {
  const [, channels, bins, slots] = value.dims as [number, number, number, number];
  return graph.reshape(graph.transpose(value, [0, 2, 1, 3]), [bins, channels, slots]);
}

function fromBinRows(graph: GraphBuilder, value: Value): Value {
  const [bins, channels, slots] = value.dims as [number, number, number];
  return graph.reshape(graph.transpose(value, [1, 0, 2]), [1, channels, bins, slots]);
}

/** h / σ, μ / σ and 1 / σ as channels, where μ and σ are those of weight · h + bias. */
function normFeatures(graph: GraphBuilder, hidden: Value, product: NormedProduct): Value {
  const [rows, channels, slots] = hidden.dims as [number, number, number];
  const { mean, variance } = productMoments(graph, hidden, product);
  const deviation = graph.node("Sqrt", [graph.add(variance, graph.floats([NORM_EPSILON]))], variance.dims);
  const reciprocal = graph.node("Reciprocal", [deviation], deviation.dims);
  const meanRow = graph.node(
    "Expand",
    [graph.reshape(mean, [rows, 1, 1]), graph.integers([rows, 1, slots])],
    [rows, 1, slots],
  );
  // One channel of ones; zeros fill the block.
  const inputs = roundToBlocks(channels + 2);
  const rest = inputs - channels - 1;
  const filling = new Float32Array(rows * rest * slots);
  for (let row = 0; row < rows; row++) filling.fill(1, row * rest * slots, (row * rest + 1) * slots);
  const stacked = graph.node(
    "Concat",
    [hidden, meanRow, graph.constant(filling, [rows, rest, slots])],
    [rows, inputs, slots],
    { axis: 1 },
  );
  return graph.mul(stacked, graph.reshape(reciprocal, [rows, 1, 1]));
}

function roundToBlocks(channels: number): number {
  return channels < CHANNEL_BLOCK ? channels : Math.ceil(channels / CHANNEL_BLOCK) * CHANNEL_BLOCK;
}

/** Mean and variance of weight · h + bias over all values of each row, from the moments of h. */
function productMoments(
  graph: GraphBuilder,
  hidden: Value,
  { weight, bias }: NormedProduct,
): { mean: Value; variance: Value } {
  const [rows, channels, slots] = hidden.dims as [number, number, number];
  const outputs = bias.data.length;
  const inputMeans = graph.mean(hidden, 2);
  const centred = graph.node("Sub", [hidden, inputMeans], hidden.dims);
  const turned = graph.transpose(centred, [0, 2, 1]);
  const products = graph.node("MatMul", [centred, turned], [rows, channels, channels]);
  // An output's variance is wᵀ·C·w with the covariance C; the mean over outputs is a product with their Gram matrix.
  const gramMatrix = makeGramMatrix(weight.data, outputs, channels).map((value) => value / slots);
  const gram = graph.constant(gramMatrix, [channels ** 2, 1]);
  const within = graph.node("MatMul", [graph.reshape(products, [rows, channels ** 2]), gram], [rows, 1]);
  const matrix = graph.weight(transposed({ dims: [outputs, channels], data: weight.data }));
  const product = graph.node(
    "MatMul",
    [graph.reshape(inputMeans, [rows, channels]), matrix],
    [rows, outputs],
  );
  const outputMeans = graph.add(product, graph.weight(bias));
  const mean = graph.mean(outputMeans, 1);
  const apart = graph.node("Sub", [outputMeans, mean], outputMeans.dims);
  return { mean, variance: graph.add(within, graph.mean(graph.mul(apart, apart), 1)) };
}

function makeGramMatrix(matrix: Float32Array, outputs: number, channels: number): Float32Array {
  const gram = new Float32Array(channels ** 2);
  for (let output = 0; output < outputs; output++) {
    const row = matrix.subarray(output * channels, (output + 1) * channels);
    for (let a = 0; a < channels; a++) {
      for (let b = 0; b <= a; b++) gram[a * channels + b]! += (row[a]! * row[b]!) / outputs;
    }
  }
  for (let a = 0; a < channels; a++) {
    for (let b = 0; b < a; b++) gram[b * channels + a] = gram[a * channels + b]!;
  }
  return gram;
}

/** The convolution from the features to the values (half 0) or the gates (half 1) of the normed product. */
function normedHalf(
  { weight, bias, scale, shift }: NormedProduct,
  options: { half: number; inputs: number; isSpectrum: boolean; gain: Float32Array | undefined },
): { weight: Weight; bias: Weight } {
  const { half, inputs, isSpectrum, gain } = options;
  const outputs = bias.data.length / 2;
  const channels = weight.dims[1]!;
  const matrix = new Float32Array(outputs * inputs);
  const offsets = new Float32Array(outputs);
  for (let output = 0; output < outputs; output++) {
    const source = half * outputs + output;
    const ownGain = gain?.[output] ?? 1;
    const factor = scale.data[source]! * ownGain;
    const row = matrix.subarray(output * inputs, (output + 1) * inputs);
    for (let channel = 0; channel < channels; channel++) {
      row[channel] = factor * weight.data[source * channels + channel]!;
    }
    row[channels] = -factor;
    row[channels + 1] = factor * bias.data[source]!;
    offsets[output] = shift.data[source]! * ownGain;
  }
  return {
    weight: { dims: isSpectrum ? [outputs, inputs, 1, 1] : [outputs, inputs, 1], data: matrix },
    bias: { dims: [outputs], data: offsets },
  };
}
