import type { GraphBuilder, Value } from "../../../runtime/onnx/graph-builder.ts";
import type { Weight } from "../../../runtime/onnx/onnx-weights.ts";
import { takeColumns, transposed } from "../../linear.ts";
import type { TrainedWeights } from "../trained-weights.ts";
import { type Rotation, rotate } from "./rotation.ts";

const NORM_EPSILON = 1e-5;

type Scope = { graph: GraphBuilder; weights: TrainedWeights };

/** Attention along the middle axis of `[rows, length, width]` and a two-layer network, each after a norm and added to what came in. */
export function attentionLayer(scope: Scope & { rotation: Rotation }, name: string, tokens: Value): Value {
  const { graph, weights, rotation } = scope;
  const { width, heads } = weights.config;
  const matrix = (part: string) => transposed(weights.get(`${name}.${part}.weight`));
  const bias = (part: string) => graph.weight(weights.get(`${name}.${part}.bias`));
  const multiply = (input: Value, weight: Weight) =>
    graph.node("MatMul", [input, graph.weight(weight)], [...input.dims.slice(0, -1), weight.dims[1]!]);

  const normed = layerNorm(scope, `${name}.norm_attention`, tokens);
  const [query, key, value] = [0, 1, 2].map((part) =>
    multiply(normed, takeColumns(matrix("qkv"), part * width, width)),
  ) as [Value, Value, Value];
  const inputs = [rotate(graph, query, rotation), rotate(graph, key, rotation), value];
  // The fused operator never has the whole table of scores in memory: 72 MB for a window of 8 s.
  const mixed = graph.contribNode("MultiHeadAttention", inputs, tokens.dims, { num_heads: heads });
  const attended = graph.add(tokens, multiply(mixed, matrix("out")));
  const wide = graph.add(multiply(layerNorm(scope, `${name}.norm_feed`, attended), matrix("up")), bias("up"));
  const narrow = graph.add(multiply(graph.gelu(wide), matrix("down")), bias("down"));
  return graph.add(attended, narrow);
}

export function layerNorm({ graph, weights }: Scope, name: string, tokens: Value): Value {
  const get = (part: string) => graph.weight(weights.get(`${name}.${part}`));
  return graph.node("LayerNormalization", [tokens, get("weight"), get("bias")], tokens.dims, {
    epsilon: { float: NORM_EPSILON },
  });
}
