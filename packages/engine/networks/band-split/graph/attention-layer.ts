import type { GraphBuilder, Value } from "../../../runtime/onnx/graph-builder.ts";
import { linear, type Multiply, takeColumns, transposed } from "../../linear.ts";
import { type Rotation, rotate } from "./rotation.ts";
import type { TrainedWeights } from "./trained-weights.ts";

const NORM_EPSILON = 1e-5;

type Scope = { graph: GraphBuilder; weights: TrainedWeights };

/** `multiply` is the product of the two large matrices: float or int8. */
type LayerScope = Scope & { rotation: Rotation; multiply: Multiply };

/** A pre-norm transformer layer over the middle axis of `[rows, length, width]`: attention and a two-layer MLP, each with a residual connection. */
export function attentionLayer(scope: LayerScope, name: string, tokens: Value): Value {
  const { graph, weights, rotation, multiply } = scope;
  const { width, heads } = weights.config;
  const matrix = (part: string) => transposed(weights.get(`${name}.${part}.weight`));
  const bias = (part: string) => weights.get(`${name}.${part}.bias`);

  const normed = layerNorm(scope, `${name}.norm_attention`, tokens);
  const all = matrix("qkv");
  const [query, key, value] = [0, 1, 2].map((part) =>
    linear(graph, normed, { weight: takeColumns(all, part * width, width) }),
  ) as [Value, Value, Value];
  const inputs = [rotate(graph, query, rotation), rotate(graph, key, rotation), value];
  // The fused operator never materialises the score matrix: 72 MB for an 8 s window.
  const mixed = graph.contribNode("MultiHeadAttention", inputs, tokens.dims, { num_heads: heads });
  const attended = graph.add(tokens, linear(graph, mixed, { weight: matrix("out") }));
  const normedAgain = layerNorm(scope, `${name}.norm_feed`, attended);
  // int8 does not pay for the smaller matrices: quantizing their input takes as long as the product saves.
  const wide = multiply(graph, normedAgain, { weight: matrix("up"), bias: bias("up") });
  const narrow = multiply(graph, graph.gelu(wide), { weight: matrix("down"), bias: bias("down") });
  return graph.add(attended, narrow);
}

export function layerNorm({ graph, weights }: Scope, name: string, tokens: Value): Value {
  const get = (part: string) => graph.weight(weights.get(`${name}.${part}`));
  return graph.node("LayerNormalization", [tokens, get("weight"), get("bias")], tokens.dims, {
    epsilon: { float: NORM_EPSILON },
  });
}
