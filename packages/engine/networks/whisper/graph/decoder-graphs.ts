import { ANY_SIZE, GraphBuilder, type Value } from "../../../runtime/onnx/graph-builder.ts";
import { feedForward, HEAD_WIDTH, linearLayer, norm, type WhisperGraph } from "./layers.ts";
import type { QuantizedWeight, WhisperWeights } from "./whisper-weights.ts";

/** A group of decoder layers, which attend to the audio. */
export type AttentionHead = readonly [layer: number, head: number];

/** Cached keys and values of a layer, for the audio or for earlier tokens. */
export const KEPT_PARTS = ["key", "value"] as const;

/**
 * Transposes rows × states × heads × 64 into rows × heads × 64 × states for keys and rows × heads × states × 64 for values. That is the order
 * they are multiplied in, and reading them is most of a token's work: half the time of the fused attention.
 */
const SOUND_AXES = { key: [0, 2, 3, 1], value: [0, 2, 1, 3] } as const;

/** Block size of int8 scales. The width of every Whisper network is a multiple of it. */
const BLOCK_SIZE = 128;
const INT8_PRODUCTS = 4;

/**
 * Whisper's decoder, rebuilt from its file as three graphs. The exported file holds two decoders, for the first tokens and for the rest,
 * each with its own copy of the weights in memory.
 * - `sound`: from the encoder's `states` to the cross-attention keys and values of every layer.
 * - `lower`: the layers up to the last timing head, from `embedded` tokens to `states`, and the `attention` of the timing heads.
 * - `upper`: the other layers, from `states` to `logits`. Timing words does not need it.
 */
export type DecoderGraphs = { sound: Uint8Array; lower: Uint8Array; upper: Uint8Array };

export function makeDecoderGraphs(
  weights: WhisperWeights,
  timingHeads: readonly AttentionHead[],
): DecoderGraphs {
  const split = countLowerLayers(timingHeads);
  return {
    sound: makeSoundGraph(weights),
    lower: makeLowerGraph(weights, timingHeads, split),
    upper: makeUpperGraph(weights, split),
  };
}

export function countLowerLayers(timingHeads: readonly AttentionHead[]): number {
  return Math.max(...timingHeads.map(([layer]) => layer)) + 1;
}

function makeSoundGraph(weights: WhisperWeights): Uint8Array {
  const graph = new GraphBuilder();
  const width = getWidth(weights);
  const states = graph.input("states", [1, ANY_SIZE, width]);
  for (let layer = 0; layer < weights.layers; layer++) {
    for (const part of KEPT_PARTS) {
      const module = `layers.${layer}.encoder_attn.${part === "key" ? "k_proj" : "v_proj"}`;
      const product = splitHeads(graph, linearLayer({ graph, weights }, module, states));
      graph.output(graph.named(`sound.${layer}.${part}`, graph.transpose(product, SOUND_AXES[part])));
    }
  }
  return graph.toBytes();
}

function makeLowerGraph(
  weights: WhisperWeights,
  timingHeads: readonly AttentionHead[],
  layers: number,
): Uint8Array {
  const graph = new GraphBuilder();
  const attention: Value[] = [];
  let states = graph.input("embedded", [ANY_SIZE, ANY_SIZE, getWidth(weights)]);
  for (let layer = 0; layer < layers; layer++) {
    const heads = timingHeads.filter(([at]) => at === layer).map(([, head]) => head);
    const answer = decodeLayer({ graph, weights }, layer, states);
    states = answer.states;
    if (heads.length > 0) attention.push(takeHeads(graph, answer.attention, heads));
  }
  graph.output(graph.named("states", states));
  const dims = [ANY_SIZE, timingHeads.length, ANY_SIZE, ANY_SIZE];
  graph.output(graph.named("attention", graph.node("Concat", attention, dims, { axis: 1 })));
  return graph.toBytes();
}

function makeUpperGraph(weights: WhisperWeights, firstLayer: number): Uint8Array {
  const graph = new GraphBuilder();
  const scope = { graph, weights };
  let states = graph.input("states", [ANY_SIZE, ANY_SIZE, getWidth(weights)]);
  for (let layer = firstLayer; layer < weights.layers; layer++) {
    states = decodeLayer(scope, layer, states).states;
  }
  const normed = norm(scope, "layer_norm", states);
  graph.output(graph.named("logits", rateTokens(graph, normed, weights.quantized("embed_tokens.weight"))));
  return graph.toBytes();
}

type LayerAnswer = {
  states: Value;
  /** Cross-attention weights: rows × heads × tokens × states of the audio. */
  attention: Value;
};

/** A layer: self-attention, then cross-attention to the audio. The cache grows by the new tokens' keys and values. */
function decodeLayer(scope: WhisperGraph, layer: number, states: Value): LayerAnswer {
  const { graph } = scope;
  const name = `layers.${layer}`;
  const read = graph.add(states, attendToTokens(scope, layer, states));
  const normed = norm(scope, `${name}.encoder_attn_layer_norm`, read);
  const { mixed, attention } = attendToSound(scope, layer, normed);
  return { states: feedForward(scope, name, graph.add(read, mixed)), attention };
}

function attendToTokens(scope: WhisperGraph, layer: number, states: Value): Value {
  const { graph } = scope;
  const module = `layers.${layer}.self_attn`;
  const heads = countHeads(states);
  const shape = [ANY_SIZE, heads, ANY_SIZE, HEAD_WIDTH];
  const past = KEPT_PARTS.map((part) => graph.input(`past.${layer}.${part}`, shape));
  const normed = norm(scope, `${module}_layer_norm`, states);
  const own = ["q_proj", "k_proj", "v_proj"].map((part) => linearLayer(scope, `${module}.${part}`, normed));
  const [mixed, ...kept] = graph.contribNodes(
    "MultiHeadAttention",
    [...own, undefined, undefined, undefined, ...past],
    [states.dims, shape, shape],
    { num_heads: heads, unidirectional: 1 },
  );
  for (const [index, part] of KEPT_PARTS.entries())
    graph.output(graph.named(`present.${layer}.${part}`, kept[index]!));
  return linearLayer(scope, `${module}.out_proj`, mixed!);
}

function attendToSound(
  scope: WhisperGraph,
  layer: number,
  states: Value,
): { mixed: Value; attention: Value } {
  const { graph } = scope;
  const module = `layers.${layer}.encoder_attn`;
  const heads = countHeads(states);
  const keys = graph.input(`sound.${layer}.key`, [ANY_SIZE, heads, HEAD_WIDTH, ANY_SIZE]);
  const values = graph.input(`sound.${layer}.value`, [ANY_SIZE, heads, ANY_SIZE, HEAD_WIDTH]);
  const query = splitHeads(graph, linearLayer(scope, `${module}.q_proj`, states, HEAD_WIDTH ** -0.5));
  const dims = [ANY_SIZE, heads, ANY_SIZE, ANY_SIZE];
  const scores = graph.node("MatMul", [graph.transpose(query, [0, 2, 1, 3]), keys], dims);
  const attention = graph.node("Softmax", [scores], dims, { axis: 3 });
  const product = graph.node("MatMul", [attention, values], values.dims);
  const joined = graph.node(
    "Reshape",
    [graph.transpose(product, [0, 2, 1, 3]), graph.integers([0, 0, heads * HEAD_WIDTH])],
    states.dims,
  );
  return { mixed: linearLayer(scope, `${module}.out_proj`, joined), attention };
}

function takeHeads(graph: GraphBuilder, attention: Value, heads: readonly number[]): Value {
  const dims = attention.dims.with(1, heads.length);
  return graph.node("Gather", [attention, graph.integers(heads)], dims, { axis: 1 });
}

function rateTokens(
  graph: GraphBuilder,
  states: Value,
  { data, dims, scale, zeroPoint }: QuantizedWeight,
): Value {
  const [size = 0, width = 0] = dims;
  const blocks = width / BLOCK_SIZE;
  if (!Number.isInteger(blocks) || data instanceof Int8Array) {
    throw new Error(
      `a vocabulary of the width ${width} is not made of blocks of ${BLOCK_SIZE} unsigned values`,
    );
  }
  const weights = [
    graph.quantized(data, [size, blocks, BLOCK_SIZE]),
    graph.constant(new Float32Array(size * blocks).fill(scale), [size * blocks]),
    graph.quantized(new Uint8Array(size * blocks).fill(zeroPoint), [size * blocks]),
  ];
  const settings = { K: width, N: size, bits: 8, block_size: BLOCK_SIZE, accuracy_level: INT8_PRODUCTS };
  return graph.contribNode("MatMulNBits", [states, ...weights], states.dims.with(2, size), settings);
}

/** Rows × tokens × width as rows × tokens × heads × 64. */
function splitHeads(graph: GraphBuilder, value: Value): Value {
  const heads = countHeads(value);
  const dims = [...value.dims.slice(0, 2), heads, HEAD_WIDTH];
  // In an ONNX Reshape, 0 keeps a dimension.
  return graph.node("Reshape", [value, graph.integers([0, 0, heads, HEAD_WIDTH])], dims);
}

function countHeads({ dims }: Value): number {
  return (dims[2] ?? 0) / HEAD_WIDTH;
}

function getWidth(weights: WhisperWeights): number {
  return weights.floats("layer_norm.bias").data.length;
}
