import type { Value } from "../../../runtime/onnx/graph-builder.ts";
import type { AxialShape, WeightedFile } from "./axial-graph.ts";
import { WeightedGraph } from "./weighted-graph.ts";

const SCALE = 8;
const NORM_MIN = 1e-12;

/**
 * The linear transformer before a block's others, over all tokens `[count, dim]` as one sequence: attention among the values of a head instead of among
 * tokens, so its matrices are small.
 */
export function buildLinearGraph(
  shape: Pick<AxialShape, "kind" | "dim" | "heads" | "headSize" | "layers" | "feedSize"> & { count: number },
): WeightedFile {
  const { kind, dim, heads, headSize, layers, count } = shape;
  const weighted = new WeightedGraph(false);
  const { graph } = weighted;
  const inner = heads * headSize;
  const byHead = [heads, headSize, count];
  /** `[count, inner]` to `[heads, headSize, count]`, each row of length 1. */
  const unit = (value: Value) => {
    const norm = graph.node("ReduceL2", [value], byHead.with(-1, 1), { axes: [2], keepdims: 1 });
    const floor = graph.node("Max", [norm, graph.floats([NORM_MIN])], norm.dims);
    return graph.node("Div", [value, floor], byHead);
  };
  const attend = (name: string, tokens: Value) => {
    const normed = weighted.norm(tokens, `${name}.norm.gamma`);
    const [query, key, value] = [0, 1, 2].map((part) => {
      const rows = { from: part * inner, to: (part + 1) * inner };
      const made = weighted.product(normed, { weight: `${name}.to_qkv.0.weight`, outputs: inner, rows });
      return graph.transpose(graph.reshape(made, [count, heads, headSize]), [1, 2, 0]);
    }) as [Value, Value, Value];
    const warmth = graph.node("Exp", [weighted.vector(`${name}.temperature`, heads)], [heads]);
    const warm = graph.mul(unit(query), graph.reshape(warmth, [heads, 1, 1]));
    const scores = graph.contribNode("FusedMatMul", [warm, unit(key)], [heads, headSize, headSize], {
      transB: 1,
      alpha: { float: SCALE },
    });
    const shares = graph.node("Softmax", [scores], scores.dims, { axis: 2 });
    const mixed = graph.node("MatMul", [shares, value], byHead);
    const joined = graph.reshape(graph.transpose(mixed, [2, 0, 1]), [count, inner]);
    const attended = weighted.product(joined, { weight: `${name}.to_out.1.weight`, outputs: dim });
    return graph.add(tokens, attended);
  };
  const feed = (name: string, tokens: Value) => {
    const normed = weighted.norm(tokens, `${name}.net.0.gamma`);
    const up = { weight: `${name}.net.1.weight`, outputs: shape.feedSize, bias: `${name}.net.1.bias` };
    const down = { weight: `${name}.net.4.weight`, outputs: dim, bias: `${name}.net.4.bias` };
    return graph.add(tokens, weighted.product(graph.gelu(weighted.product(normed, up)), down));
  };
  let tokens = graph.input("tokens", [count, dim]);
  for (let layer = 0; layer < layers; layer++)
    tokens = feed(`layers.${layer}.1`, attend(`layers.${layer}.0`, tokens));
  if (kind === "mel") tokens = weighted.norm(tokens, "norm.gamma");
  graph.output(graph.named("made", tokens));
  return { file: graph.toBytes(), ports: weighted.ports };
}
