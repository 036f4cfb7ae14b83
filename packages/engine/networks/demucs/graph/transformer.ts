import type { Value } from "../../../runtime/onnx/graph-builder.ts";
import type { Weight } from "../../../runtime/onnx/onnx-weights.ts";
import { type Linear, linear, type Multiply, scaleOutputs, takeOutputs, transposed } from "../../linear.ts";
import type { WeightsByName } from "../../weights-by-name.ts";
import { countModules, type DemucsGraph } from "./demucs-graph.ts";
import { NORM_EPSILON, normRows } from "./group-norm.ts";
import { makeGridPositions, makeSequencePositions } from "./positions.ts";

/** `multiply` is the kind of matrix product: float or int8. */
type TransformerScope = DemucsGraph & { multiply: Multiply };

/** Layers in which a few outliers after the GELU set the int8 scale, at a measurable cost; they stay in float. */
const IN_FLOATS_BEHIND_GELU = ["layers.0", "layers.2"];

export function hasTransformer(weights: WeightsByName): boolean {
  return weights.has(toFeedForward("layers.0"));
}

const toFeedForward = (layer: string) => `crosstransformer.${layer}.linear1.weight`;

/**
 * The middle of the network: spectrum `[1, channels, bins, slots]` and waveform `[1, channels, samples]` as two token sequences with alternating self-
 * and cross-attention.
 */
export function crossTransformer(
  scope: TransformerScope,
  spectrum: Value,
  waveform: Value,
): { spectrum: Value; waveform: Value } {
  const { graph, weights, config } = scope;
  const { positionGain, longestPeriod } = config.transformer;
  const [, channels, bins, slots] = spectrum.dims as [number, number, number, number];
  const columns = graph.reshape(spectrum, [1, channels, bins * slots]);
  const tokens = layerNorm(scope, "norm_in", toTokens(scope, "channel_upsampler", columns));
  const width = tokens.dims[2]!;
  const place = (codes: Float32Array, to: Value) => {
    const scaled = positionGain === 1 ? codes : codes.map((code) => code * positionGain);
    return graph.add(to, graph.constant(scaled, to.dims));
  };
  let own = place(makeGridPositions({ bins, slots, width, longestPeriod }), tokens);
  const tokensT = layerNorm(scope, "norm_in_t", toTokens(scope, "channel_upsampler_t", waveform));
  let other = place(makeSequencePositions({ length: waveform.dims[2]!, width, longestPeriod }), tokensT);

  const layers = countModules(weights, (index) => toFeedForward(`layers.${index}`));
  for (let index = 0; index < layers; index++) {
    const isCross = weights.has(`crosstransformer.layers.${index}.cross_attn.in_proj_weight`);
    const before = own;
    own = transformerLayer(scope, `layers.${index}`, own, isCross ? other : undefined);
    other = transformerLayer(scope, `layers_t.${index}`, other, isCross ? before : undefined);
  }

  return {
    spectrum: graph.reshape(fromTokens(scope, "channel_downsampler", own), spectrum.dims),
    waveform: fromTokens(scope, "channel_downsampler_t", other),
  };
}

/** `[1, channels, places]` to one token per place. On CPUs, onnxruntime fuses the transposition with the product. */
function toTokens({ graph, weights }: DemucsGraph, name: string, value: Value): Value {
  const turned = graph.transpose(value, [0, 2, 1]);
  if (!weights.has(`${name}.weight`)) return turned;
  const { weight, bias } = readPointwise(weights, name);
  const dims = [1, value.dims[2]!, bias.data.length];
  const product = graph.node("MatMul", [turned, graph.weight(transposed(weight))], dims);
  return graph.add(product, graph.weight(bias));
}

/** The inverse of `toTokens`. */
function fromTokens({ graph, weights }: DemucsGraph, name: string, tokens: Value): Value {
  const turned = graph.transpose(tokens, [0, 2, 1]);
  if (!weights.has(`${name}.weight`)) return turned;
  const { weight, bias } = readPointwise(weights, name);
  const channels = bias.data.length;
  const dims = [1, channels, tokens.dims[1]!];
  const product = graph.node("MatMul", [graph.weight(weight), turned], dims);
  return graph.add(product, graph.constant(bias.data, [channels, 1]));
}

/** A pointwise convolution as a matrix `[outputs, inputs]`. */
function readPointwise(weights: WeightsByName, name: string): { weight: Weight; bias: Weight } {
  const { dims, data } = weights.get(`${name}.weight`);
  return { weight: { dims: dims.slice(0, 2), data }, bias: weights.get(`${name}.bias`) };
}

/** A pre-norm transformer layer: attention and a two-layer MLP with residual connections, then a norm over the whole sequence. */
function transformerLayer(
  scope: TransformerScope,
  name: string,
  tokens: Value,
  others: Value | undefined,
): Value {
  const { graph, weights, multiply } = scope;
  const get = (part: string) => weights.get(`crosstransformer.${name}.${part}`);
  const matrix = (part: string) => transposed(get(`${part}.weight`));
  const attended = graph.add(tokens, attention(scope, name, tokens, others));
  const normed = layerNorm(scope, `${name}.${others ? "norm3" : "norm2"}`, attended);
  const wide = multiply(graph, normed, { weight: matrix("linear1"), bias: get("linear1.bias") });
  const active = activate(scope, wide);
  const last = scaleLayer(scope, `${name}.gamma_2`, { weight: matrix("linear2"), bias: get("linear2.bias") });
  const multiplyBack = IN_FLOATS_BEHIND_GELU.includes(name) ? linear : multiply;
  const sum = graph.add(attended, multiplyBack(graph, active, last));
  if (!weights.has(`crosstransformer.${name}.norm_out.weight`)) return sum;
  const [scale, shift] = ["weight", "bias"].map((kind) => graph.weight(get(`norm_out.${kind}`)));
  return graph.add(graph.mul(normRows(graph, sum), scale!), shift!);
}

function activate({ graph, config }: DemucsGraph, value: Value): Value {
  return config.transformer.activation === "gelu"
    ? graph.gelu(value)
    : graph.node("Relu", [value], value.dims);
}

function scaleLayer({ weights }: DemucsGraph, name: string, matrix: Linear): Linear {
  const path = `crosstransformer.${name}.scale`;
  return weights.has(path) ? scaleOutputs(matrix, weights.get(path)) : matrix;
}

function attention(scope: TransformerScope, name: string, tokens: Value, others: Value | undefined): Value {
  const { graph, weights, multiply, config } = scope;
  const queried = layerNorm(scope, `${name}.norm1`, tokens);
  const normed = others === undefined ? queried : layerNorm(scope, `${name}.norm2`, others);
  const kind = others === undefined ? "self_attn" : "cross_attn";
  const get = (part: string) => weights.get(`crosstransformer.${name}.${kind}.${part}`);
  const all = { weight: transposed(get("in_proj_weight")), bias: get("in_proj_bias") };
  const width = tokens.dims[2]!;
  const [toQuery, toKey, toValue] = [0, 1, 2].map((part) => takeOutputs(all, part * width, width));
  const inputs = [
    multiply(graph, queried, toQuery!),
    multiply(graph, normed, toKey!),
    multiply(graph, normed, toValue!),
  ];
  // The fused operator never materialises the score matrix: 230 MB per layer.
  const heads = config.transformer.heads;
  const mixed = graph.contribNode("MultiHeadAttention", inputs, tokens.dims, { num_heads: heads });
  const toOutput = { weight: transposed(get("out_proj.weight")), bias: get("out_proj.bias") };
  return multiply(graph, mixed, scaleLayer(scope, `${name}.gamma_1`, toOutput));
}

function layerNorm({ graph, weights }: DemucsGraph, name: string, tokens: Value): Value {
  if (!weights.has(`crosstransformer.${name}.weight`)) return tokens;
  const get = (part: string) => graph.weight(weights.get(`crosstransformer.${name}.${part}`));
  return graph.node("LayerNormalization", [tokens, get("weight"), get("bias")], tokens.dims, {
    epsilon: { float: NORM_EPSILON },
  });
}
