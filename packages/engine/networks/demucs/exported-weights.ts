import type { OnnxWeights, Weight } from "../../runtime/onnx/onnx-weights.ts";
import { transposed } from "../linear.ts";
import type { WeightsByName } from "../weights-by-name.ts";
import { EMBEDDING_SCALE } from "./demucs-config.ts";

/** Names that the exporter replaced by numbers, and the node that reads each. */
const NODES: [RegExp, (parts: readonly string[]) => { node: string; read: (weight: Weight) => Weight }][] = [
  [
    /^(.*)\.dconv\.layers\.(\d)\.([146])\.(weight|bias|scale)$/,
    ([path, layer, part, kind]) => ({
      node: `/${path}/dconv/layers.${layer}/layers.${layer}.${part}/${kind === "bias" ? "Add" : "Mul"}`,
      read: toVector,
    }),
  ],
  [/^freq_emb\.embedding\.weight$/, () => ({ node: "/Expand", read: toEmbedding })],
  [
    /^(crosstransformer)\.(.*)\.(linear[12])\.weight$/,
    ([, layer, name]) => ({ node: `/crosstransformer/${layer}/${name}/MatMul`, read: transposed }),
  ],
  [
    /^(crosstransformer)\.(.*)\.norm_out\.(weight|bias)$/,
    ([, layer, kind]) => ({
      node: `/crosstransformer/${layer}/norm_out/${kind === "bias" ? "Add" : "Mul"}`,
      read: toVector,
    }),
  ],
  [
    /^(crosstransformer)\.(.*)\.self_attn\.in_proj_weight$/,
    ([, layer]) => ({ node: `/crosstransformer/${layer}/self_attn/MatMul`, read: transposed }),
  ],
];

const CROSS_PROJECTION = /^(crosstransformer)\.(.*)\.cross_attn\.in_proj_(weight|bias)$/;

/** The weights of the exported htdemucs under the names they had before. */
export class ExportedWeights implements WeightsByName {
  readonly #file: OnnxWeights;

  constructor(file: OnnxWeights) {
    this.#file = file;
  }

  has(name: string): boolean {
    const layer = CROSS_PROJECTION.exec(name)?.[2];
    const hasProjection =
      layer !== undefined && this.#file.hasNode(`/crosstransformer/${layer}/cross_attn/MatMul`);
    return this.#file.has(name) || hasProjection || this.#findNode(name) !== undefined;
  }

  get(name: string): Weight {
    if (this.#file.has(name)) return this.#file.get(name);
    const found = this.#findNode(name);
    if (found) return found.read(this.#file.ofNode(found.node));
    const [, , layer, kind] = CROSS_PROJECTION.exec(name) ?? [];
    // The exporter kept some of these matrices under their names and split the others.
    if (layer !== undefined) return this.#joinProjection(`/crosstransformer/${layer}/cross_attn`, kind);
    return this.#file.get(name);
  }

  #findNode(name: string): { node: string; read: (weight: Weight) => Weight } | undefined {
    for (const [pattern, toNode] of NODES) {
      const parts = pattern.exec(name);
      if (parts === null) continue;
      const { node, read } = toNode(parts.slice(1));
      return this.#file.hasNode(node) ? { node, read } : undefined;
    }
    return undefined;
  }

  #joinProjection(path: string, kind: string | undefined): Weight {
    const isMatrix = kind === "weight";
    const [query, others] = ["", "_1"].map((part) =>
      this.#file.ofNode(`${path}/${isMatrix ? "MatMul" : "Add"}${part}`),
    ) as [Weight, Weight];
    const [first, second] = isMatrix ? [transposed(query), transposed(others)] : [query, others];
    const data = new Float32Array(first.data.length + second.data.length);
    data.set(first.data);
    data.set(second.data, first.data.length);
    return { dims: first.dims.with(0, first.dims[0]! + second.dims[0]!), data };
  }
}

function toVector({ data }: Weight): Weight {
  return { dims: [data.length], data };
}

/** `[1, channels, bins, 1]`, scaled, to the embedding itself. Exact: its values are 16-bit floats. */
function toEmbedding({ dims, data }: Weight): Weight {
  const [, channels, bins] = dims as [number, number, number];
  const scaled = transposed({ dims: [channels, bins], data });
  return { dims: scaled.dims, data: scaled.data.map((value) => value / EMBEDDING_SCALE) };
}
