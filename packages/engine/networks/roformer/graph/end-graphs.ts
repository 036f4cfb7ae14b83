import { ANY_SIZE, GraphBuilder, type Value } from "../../../runtime/onnx/graph-builder.ts";
import type { Band } from "../bands.ts";
import type { RoformerDimensions } from "../read-dimensions.ts";
import type { WeightedFile } from "./axial-graph.ts";
import { WeightedGraph } from "./weighted-graph.ts";

type Ends = Pick<RoformerDimensions, "dim" | "bandSizes">;

/** From the spectrum `[slots, bins × channels × 2]` to a token for each band: `[slots, bands, dim]`. */
export function buildBandSplit(
  { dim, bandSizes }: Ends,
  { bands, spectrumSize }: { bands: readonly Band[]; spectrumSize: number },
): WeightedFile {
  const weighted = new WeightedGraph(false);
  const { graph } = weighted;
  const spectrum = graph.input("spectrum", [ANY_SIZE, spectrumSize]);
  const tokens = bands.map(({ firstBin, bins }, band) => {
    const size = bandSizes[band]!;
    const from = (firstBin * size) / bins;
    const name = `band_split.to_features.${band}`;
    const values = graph.slice(spectrum, { axis: 1, from, to: from + size });
    const normed = weighted.norm(values, `${name}.0.gamma`);
    const product = { weight: `${name}.1.weight`, outputs: dim, bias: `${name}.1.bias` };
    return graph.reshape(weighted.product(normed, product), [ANY_SIZE, 1, dim]);
  });
  const joined = graph.node("Concat", tokens, [ANY_SIZE, bands.length, dim], { axis: 1 });
  graph.output(graph.named("made", joined));
  return { file: graph.toBytes(), ports: weighted.ports };
}

/** From tokens `[slots, bands, dim]` to the masks of one stem, band by band: `[slots, sum of the bands' sizes]`. */
export function buildMaskHead(
  { kind, dim, bandSizes, maskLayers }: Ends & Pick<RoformerDimensions, "kind" | "maskLayers">,
  { hiddenSize, inBytes }: { hiddenSize: number; inBytes: boolean },
): WeightedFile {
  const weighted = new WeightedGraph(inBytes);
  const { graph } = weighted;
  const tokens = graph.input("tokens", [ANY_SIZE, bandSizes.length, dim]);
  const last = kind === "bs" ? weighted.norm(tokens, "final_norm.gamma") : tokens;
  const pairs = bandSizes.map((size, band) => {
    let value: Value = graph.reshape(graph.slice(last, { axis: 1, from: band, to: band + 1 }), [
      ANY_SIZE,
      dim,
    ]);
    maskLayers.forEach((layer, index) => {
      const isLast = index === maskLayers.length - 1;
      const name = `to_freqs.${band}.0.${layer}`;
      const outputs = isLast ? 2 * size : hiddenSize;
      const made = weighted.largeProduct(value, { weight: `${name}.weight`, outputs, bias: `${name}.bias` });
      value = isLast ? made : graph.node("Tanh", [made], made.dims);
    });
    return [0, size].map((from) => graph.slice(value, { axis: 1, from, to: from + size }));
  });
  const total = bandSizes.reduce((sum, size) => sum + size, 0);
  const [values, gates] = [0, 1].map((half) =>
    graph.node(
      "Concat",
      pairs.map((pair) => pair[half]!),
      [ANY_SIZE, total],
      { axis: 1 },
    ),
  ) as [Value, Value];
  graph.output(graph.named("masks", graph.mul(values, graph.sigmoid(gates))));
  return { file: graph.toBytes(), ports: weighted.ports };
}

/** `[a, b, dim]` to `[b, a, dim]`. */
export function buildTurn(dims: readonly [number, number, number]): WeightedFile {
  const graph = new GraphBuilder();
  graph.output(graph.named("turned", graph.transpose(graph.input("tokens", dims), [1, 0, 2])));
  return { file: graph.toBytes(), ports: [] };
}

export function buildCopy(size: number): WeightedFile {
  const graph = new GraphBuilder();
  graph.output(graph.named("copy", graph.input("values", [size])));
  return { file: graph.toBytes(), ports: [] };
}

/** The sum of two arrays of a size. */
export function buildSum(size: number): WeightedFile {
  const graph = new GraphBuilder();
  graph.output(graph.named("sum", graph.add(graph.input("a", [size]), graph.input("b", [size]))));
  return { file: graph.toBytes(), ports: [] };
}
