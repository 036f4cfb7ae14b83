import type { Value } from "../../../runtime/onnx/graph-builder.ts";
import type { OnnxWeights, Weight } from "../../../runtime/onnx/onnx-weights.ts";
import { type Linear, linear, type Multiply, scaleOutputs, takeOutputs, transposed } from "../../linear.ts";
import { NORM_EPSILON, normRows } from "./group-norm.ts";
import type { HtdemucsGraph } from "./htdemucs-graph.ts";
import { makeGridPositions, makeSequencePositions } from "./positions.ts";

/** `multiply` is the kind of matrix product: float or int8. */
type TransformerScope = HtdemucsGraph & { multiply: Multiply };

const WIDTH = 512;
const HEADS = 8;
const LAYERS = 5;
/** Layers in which a few outliers after the GELU set the int8 scale, at a measurable cost; they stay in float. */
const IN_FLOATS_BEHIND_GELU = ["layers.0", "layers.2"];

/**
 * The middle of the network: spectrum `[1, channels, bins, slots]` and waveform `[1, channels, samples]` as two token sequences with alternating self-
 * and cross-attention.
 */
export function crossTransformer(
  scope: TransformerScope,
  spectrum: Value,
  waveform: Value,
): { spectrum: Value; waveform: Value } {
  const { graph } = scope;
  const [, channels, bins, slots] = spectrum.dims as [number, number, number, number];
  const columns = graph.reshape(spectrum, [1, channels, bins * slots]);
  const tokens = layerNorm(scope, "norm_in", toTokens(scope, "channel_upsampler", columns));
  let own = graph.add(tokens, graph.constant(makeGridPositions(bins, slots, WIDTH), tokens.dims));
  const tokensT = layerNorm(scope, "norm_in_t", toTokens(scope, "channel_upsampler_t", waveform));
  let other = graph.add(
    tokensT,
    graph.constant(makeSequencePositions(waveform.dims[2]!, WIDTH), tokensT.dims),
  );

  for (let index = 0; index < LAYERS; index++) {
    const isCross = index % 2 === 1;
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
function toTokens({ graph, weights }: HtdemucsGraph, name: string, value: Value): Value {
  const { weight, bias } = readPointwise(weights, name);
  const dims = [1, value.dims[2]!, WIDTH];
  const turned = graph.transpose(value, [0, 2, 1]);
  const product = graph.node("MatMul", [turned, graph.weight(transposed(weight))], dims);
  return graph.add(product, graph.weight(bias));
}

/** The inverse of `toTokens`. */
function fromTokens({ graph, weights }: HtdemucsGraph, name: string, tokens: Value): Value {
  const { weight, bias } = readPointwise(weights, name);
  const channels = bias.data.length;
  const dims = [1, channels, tokens.dims[1]!];
  const turned = graph.transpose(tokens, [0, 2, 1]);
  const product = graph.node("MatMul", [graph.weight(weight), turned], dims);
  return graph.add(product, graph.constant(bias.data, [channels, 1]));
}

/** A pointwise convolution as a matrix `[outputs, inputs]`. */
function readPointwise(weights: OnnxWeights, name: string): { weight: Weight; bias: Weight } {
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
  const node = (path: string) => weights.ofNode(`/crosstransformer/${name}/${path}`);
  const attended = graph.add(tokens, attention(scope, name, tokens, others));
  const normed = layerNorm(scope, `${name}.${others ? "norm3" : "norm2"}`, attended);
  const wide = multiply(graph, normed, { weight: node("linear1/MatMul"), bias: get("linear1.bias") });
  const last = { weight: node("linear2/MatMul"), bias: get("linear2.bias") };
  const multiplyBack = IN_FLOATS_BEHIND_GELU.includes(name) ? linear : multiply;
  const narrow = multiplyBack(graph, graph.gelu(wide), scaleOutputs(last, get("gamma_2.scale")));
  const sum = normRows(graph, graph.add(attended, narrow));
  const [scale, shift] = [node("norm_out/Mul"), node("norm_out/Add")].map(({ data }) =>
    graph.constant(data, [WIDTH]),
  );
  return graph.add(graph.mul(sum, scale!), shift!);
}

function attention(scope: TransformerScope, name: string, tokens: Value, others: Value | undefined): Value {
  const { graph, weights, multiply } = scope;
  const queried = layerNorm(scope, `${name}.norm1`, tokens);
  const normed = others === undefined ? queried : layerNorm(scope, `${name}.norm2`, others);
  const kind = others === undefined ? "self_attn" : "cross_attn";
  const [toQuery, toKey, toValue] = readProjections(scope, name, kind);
  const inputs = [
    multiply(graph, queried, toQuery),
    multiply(graph, normed, toKey),
    multiply(graph, normed, toValue),
  ];
  // The fused operator never materialises the score matrix: 230 MB per layer.
  const mixed = graph.contribNode("MultiHeadAttention", inputs, tokens.dims, { num_heads: HEADS });
  const get = (part: string) => weights.get(`crosstransformer.${name}.${part}`);
  const toOutput = {
    weight: transposed(get(`${kind}.out_proj.weight`)),
    bias: get(`${kind}.out_proj.bias`),
  };
  return multiply(graph, mixed, scaleOutputs(toOutput, get("gamma_1.scale")));
}

/** The exporter kept some matrices under their names and folded others, which are found by their nodes. */
function readProjections(
  { weights }: HtdemucsGraph,
  name: string,
  kind: "self_attn" | "cross_attn",
): [Linear, Linear, Linear] {
  const path = `crosstransformer.${name}.${kind}.in_proj`;
  const node = (op: string) => weights.ofNode(`/crosstransformer/${name}/${kind}/${op}`);
  if (kind === "cross_attn" && !weights.has(`${path}_weight`)) {
    const keysAndValues = { weight: node("MatMul_1"), bias: node("Add_1") };
    return [
      { weight: node("MatMul"), bias: node("Add") },
      takeOutputs(keysAndValues, 0, WIDTH),
      takeOutputs(keysAndValues, WIDTH, WIDTH),
    ];
  }
  const weight = kind === "self_attn" ? node("MatMul") : transposed(weights.get(`${path}_weight`));
  const all = { weight, bias: weights.get(`${path}_bias`) };
  return [takeOutputs(all, 0, WIDTH), takeOutputs(all, WIDTH, WIDTH), takeOutputs(all, 2 * WIDTH, WIDTH)];
}

function layerNorm({ graph, weights }: HtdemucsGraph, name: string, tokens: Value): Value {
  const get = (part: string) => graph.weight(weights.get(`crosstransformer.${name}.${part}`));
  return graph.node("LayerNormalization", [tokens, get("weight"), get("bias")], tokens.dims, {
    epsilon: { float: NORM_EPSILON },
  });
}
