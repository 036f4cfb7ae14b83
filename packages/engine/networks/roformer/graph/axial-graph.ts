import { ANY_SIZE, type Value } from "../../../runtime/onnx/graph-builder.ts";
import type { RoformerDimensions } from "../read-dimensions.ts";
import { WeightedGraph, type WeightPort } from "./weighted-graph.ts";

export type AxialShape = Pick<RoformerDimensions, "kind" | "dim" | "heads" | "headSize"> & {
  layers: number;
  /** Tokens in a sequence: slots, or bands. */
  length: number;
  feedSize: number;
  /** Cosine and sine of each position and pair of values: `[length, headSize / 2]`. */
  rotation: { cosine: Float32Array; sine: Float32Array };
  /** `makes`: the values of the first layer are an output. `takes`: they are an input, and mixed with each layer's own. */
  values: "makes" | "takes" | "none";
  biases: { qkv: boolean; out: boolean };
  inBytes: boolean;
};

/** A graph, the weights it takes after its other inputs, and the shapes of those and of its outputs, for any number of rows. */
export type WeightedFile = { file: Uint8Array; ports: readonly WeightPort[] };

/**
 * One transformer over the middle axis of tokens `[rows, length, dim]`. Each row is a separate sequence, so that any number of them can run at a time.
 */
export function buildAxialGraph(shape: AxialShape): WeightedFile {
  const { kind, dim, heads, headSize, layers, length, rotation, values } = shape;
  const weighted = new WeightedGraph(shape.inBytes);
  const { graph } = weighted;
  const inner = heads * headSize;
  const first = graph.input("tokens", [ANY_SIZE, length, dim]);
  const firstValues = values === "takes" ? graph.input("values", [ANY_SIZE, length, inner]) : undefined;
  const tables = [rotation.cosine, rotation.sine].map((table) =>
    graph.constant(table, [length, headSize / 2]),
  );
  const start = graph.integers([0]);
  const rotate = (tokens: Value) =>
    graph.contribNode("RotaryEmbedding", [tokens, start, ...tables], tokens.dims, { interleaved: 1 });

  const attend = (name: string, tokens: Value): { attended: Value; own: Value } => {
    const normed = weighted.norm(tokens, `${name}.norm.gamma`);
    const [query, key, own] = [0, 1, 2].map((part) =>
      weighted.largeProduct(normed, {
        weight: `${name}.to_qkv.weight`,
        outputs: inner,
        bias: shape.biases.qkv ? `${name}.to_qkv.bias` : undefined,
        rows: { from: part * inner, to: (part + 1) * inner },
      }),
    ) as [Value, Value, Value];
    const toGains = (layer: string) => {
      const product = { weight: `${name}.${layer}.weight`, outputs: heads, bias: `${name}.${layer}.bias` };
      return graph.reshape(graph.sigmoid(weighted.product(normed, product)), [ANY_SIZE, length, heads, 1]);
    };
    const byHead = (value: Value) => graph.reshape(value, [ANY_SIZE, length, heads, headSize]);
    const joined = (value: Value) => graph.reshape(value, [ANY_SIZE, length, inner]);
    const mix = (gains: Value, from: Value, to: Value) => {
      const apart = graph.node("Sub", [byHead(to), byHead(from)], byHead(to).dims);
      return joined(graph.add(byHead(from), graph.mul(apart, gains)));
    };
    const value = firstValues ? mix(toGains("to_value_residual_mix"), own, firstValues) : own;
    const inputs = [rotate(query), rotate(key), value];
    // The fused operator never materialises the score matrix.
    const mixed = graph.contribNode("MultiHeadAttention", inputs, tokens.dims.with(-1, inner), {
      num_heads: heads,
    });
    const gated = joined(graph.mul(byHead(mixed), toGains("to_gates")));
    const attended = weighted.largeProduct(gated, {
      weight: `${name}.to_out.0.weight`,
      outputs: dim,
      bias: shape.biases.out ? `${name}.to_out.0.bias` : undefined,
    });
    return { attended: graph.add(tokens, attended), own };
  };
  const feed = (name: string, tokens: Value) => {
    const normed = weighted.norm(tokens, `${name}.net.0.gamma`);
    const up = { weight: `${name}.net.1.weight`, outputs: shape.feedSize, bias: `${name}.net.1.bias` };
    const down = { weight: `${name}.net.4.weight`, outputs: dim, bias: `${name}.net.4.bias` };
    return graph.add(tokens, weighted.largeProduct(graph.gelu(weighted.largeProduct(normed, up)), down));
  };

  let tokens = first;
  let made: Value | undefined;
  for (let layer = 0; layer < layers; layer++) {
    const { attended, own } = attend(`layers.${layer}.0`, tokens);
    made ??= own;
    tokens = feed(`layers.${layer}.1`, attended);
  }
  if (kind === "mel") tokens = weighted.norm(tokens, "norm.gamma");
  graph.output(graph.named("made", tokens));
  if (values === "makes" && made) graph.output(graph.named("madeValues", made));
  return { file: graph.toBytes(), ports: weighted.ports };
}
