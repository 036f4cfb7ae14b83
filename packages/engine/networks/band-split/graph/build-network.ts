import { GraphBuilder, type Value } from "../../../runtime/onnx/graph-builder.ts";
import { type Linear, linear, linearInBytes, type Multiply } from "../../linear.ts";
import { attentionLayer, layerNorm } from "./attention-layer.ts";
import { makeRotation } from "./rotation.ts";
import { addTaps } from "./taps.ts";
import { countBins, countPlanes, type TrainedWeights } from "./trained-weights.ts";

/** Consecutive bands of equal width. */
export type BandGroup = { bands: number; binsPerBand: number; firstBin: number };

/** The graph has one output per group: `[bands, slots, stems × planes × bins per band]`. */
export type BuiltNetwork = { file: Uint8Array; groups: BandGroup[]; outputs: (readonly number[])[] };

const SMALLEST_POWER = 1e-10;
const SMALLEST_SIZE = 1e-4;
/** Mean of Hann²; times the window length, it is the power of a bin for a signal of RMS 1. */
const HANN_POWER = 3 / 8;
/** Exponent of the power: magnitudes are compressed to about their 0.3rd power. */
const COMPRESSION = -0.35;

/**
 * The trained network (training/networks/band_split.py, voice_split.py) up to the masks, which `applyMasks` applies to the spectrum. Rebuilt from the
 * weights; the graph in their file is not run: docs/decisions/0033-band-split-rebuilt-from-weights.md.
 */
export function buildNetwork(
  weights: TrainedWeights,
  { slots, inBytes }: { slots: number; inBytes: boolean },
): BuiltNetwork {
  const graph = new GraphBuilder();
  const { config } = weights;
  const spectrum = graph.input("spectrum", [1, countPlanes(config), slots, countBins(config)]);
  const masks = findMasks({ graph, weights, multiply: inBytes ? linearInBytes : linear }, spectrum);
  for (const value of masks) graph.output(value);
  return { file: graph.toBytes(), groups: listGroups(weights), outputs: masks.map(({ dims }) => dims) };
}

/** From a spectrum `[1, planes, slots, bins]` to the masks of each group of bands. */
export function findMasks(
  scope: { graph: GraphBuilder; weights: TrainedWeights; multiply: Multiply },
  spectrum: Value,
): Value[] {
  const { graph, weights } = scope;
  const groups = listGroups(weights);
  const { width, heads, depth, kind } = weights.config;
  const slots = spectrum.dims[2]!;
  const near = (axis: "time" | "band", index: number, tokens: Value) =>
    kind === "voice-split" ? addTaps(graph, tokens, weights.get(`${axis}_taps.${index}.weight`)) : tokens;
  const bands = groups.reduce((sum, group) => sum + group.bands, 0);
  let tokens = encodeBands(graph, weights, groups, toFeatures(graph, weights, spectrum, groups));
  const overTime = makeRotation(graph, slots, width / heads);
  const overBands = makeRotation(graph, bands, width / heads);
  for (let index = 0; index < depth; index++) {
    tokens = attentionLayer(
      { ...scope, rotation: overTime },
      `time_layers.${index}`,
      near("time", index, tokens),
    );
    tokens = graph.transpose(tokens, [1, 0, 2]);
    tokens = attentionLayer(
      { ...scope, rotation: overBands },
      `band_layers.${index}`,
      near("band", index, tokens),
    );
    tokens = graph.transpose(tokens, [1, 0, 2]);
  }
  return decodeBands(graph, weights, groups, layerNorm({ graph, weights }, "norm", tokens));
}

export function listGroups({ config }: TrainedWeights): BandGroup[] {
  let firstBin = 0;
  return config.bands.map(([bands, binsPerBand]) => {
    const group = { bands, binsPerBand, firstBin };
    firstBin += bands * binsPerBand;
    return group;
  });
}

/** Normalised to RMS 1, compressed, stereo as mid/side; zero-padded where the last band extends beyond the spectrum. */
function toFeatures(
  graph: GraphBuilder,
  { config }: TrainedWeights,
  spectrum: Value,
  groups: readonly BandGroup[],
): Value {
  const [, planes, slots, bins] = spectrum.dims as [number, number, number, number];
  const spectra = planes === 4 ? toMiddleSide(graph, spectrum) : spectrum;
  const power = graph.node("ReduceMean", [graph.mul(spectra, spectra)], [1, 1, 1, 1], { keepdims: 1 });
  const unit = graph.floats([2 / (HANN_POWER * config.window)]);
  const level = graph.node(
    "Sqrt",
    [graph.add(graph.mul(power, unit), graph.floats([SMALLEST_POWER]))],
    [1, 1, 1, 1],
  );
  const scaled = graph.node("Div", [spectra, level], spectra.dims);
  const channels = planes / 2;
  const parts = graph.reshape(scaled, [channels, 2, slots, bins]);
  const sizeDims = [channels, 1, slots, bins];
  const size = graph.node("ReduceSumSquare", [parts], sizeDims, { axes: [1], keepdims: 1 });
  const logarithm = graph.node("Log", [graph.add(size, graph.floats([SMALLEST_SIZE]))], sizeDims);
  const gain = graph.node("Exp", [graph.mul(logarithm, graph.floats([COMPRESSION]))], sizeDims);
  const compressed = graph.mul(parts, gain);
  const last = groups.at(-1)!;
  const missing = last.firstBin + last.bands * last.binsPerBand - bins;
  const padded = graph.node(
    "Pad",
    [compressed, graph.integers([0, 0, 0, 0, 0, 0, 0, missing])],
    [channels, 2, slots, bins + missing],
  );
  return graph.reshape(padded, [planes, slots, bins + missing]);
}

function toMiddleSide(graph: GraphBuilder, spectrum: Value): Value {
  const [left, right] = [0, 2].map((from) => graph.slice(spectrum, { axis: 1, from, to: from + 2 })) as [
    Value,
    Value,
  ];
  const sum = graph.add(left, right);
  const difference = graph.node("Sub", [left, right], left.dims);
  const turned = graph.node("Concat", [sum, difference], spectrum.dims, { axis: 1 });
  return graph.mul(turned, graph.floats([Math.SQRT1_2]));
}

/** `[planes, slots, bins]` to a token for each band and slot: `[bands, slots, width]`. */
function encodeBands(
  graph: GraphBuilder,
  weights: TrainedWeights,
  groups: readonly BandGroup[],
  features: Value,
): Value {
  const [planes, slots] = features.dims as [number, number];
  const { width } = weights.config;
  const encoded = groups.map(({ bands, binsPerBand, firstBin }, index) => {
    const get = (name: string) => graph.weight(weights.get(`groups.${index}.${name}`));
    const bins = bands * binsPerBand;
    const span = graph.slice(features, { axis: 2, from: firstBin, to: firstBin + bins });
    const split = graph.reshape(span, [planes, slots, bands, binsPerBand]);
    const rows = graph.reshape(graph.transpose(split, [2, 1, 0, 3]), [bands, slots, planes * binsPerBand]);
    const product = graph.node("MatMul", [rows, get("encode_weight")], [bands, slots, width]);
    return graph.add(product, get("encode_bias"));
  });
  const bands = encoded.reduce((sum, { dims }) => sum + dims[0]!, 0);
  return graph.node("Concat", encoded, [bands, slots, width], { axis: 0 });
}

function decodeBands(
  graph: GraphBuilder,
  weights: TrainedWeights,
  groups: readonly BandGroup[],
  tokens: Value,
): Value[] {
  const [, slots] = tokens.dims as [number, number];
  const { stems, maskHidden } = weights.config;
  const planes = countPlanes(weights.config);
  let firstBand = 0;
  return groups.map(({ bands, binsPerBand }, index) => {
    const get = (name: string) => graph.weight(weights.get(`groups.${index}.${name}`));
    const rows = graph.slice(tokens, { axis: 0, from: firstBand, to: firstBand + bands });
    firstBand += bands;
    const hidden = graph.node("MatMul", [rows, get("hidden_weight")], [bands, slots, maskHidden]);
    const active = graph.gelu(graph.add(hidden, get("hidden_bias")));
    const dims = [bands, slots, stems * planes * binsPerBand];
    const { weight, bias } = completeMasks(weights, index);
    return graph.add(graph.node("MatMul", [active, graph.weight(weight)], dims), graph.weight(bias));
  });
}

/**
 * The layer that outputs a group's masks. Training distributes what the masks of all stems lack to a sum of 1 among them, so that the stems sum to
 * the mix. That is linear, so it is folded into the layer.
 */
function completeMasks(weights: TrainedWeights, group: number): Linear {
  const { stems } = weights.config;
  const planes = countPlanes(weights.config);
  const weight = weights.get(`groups.${group}.mask_weight`);
  const bias = weights.get(`groups.${group}.mask_bias`);
  const columns = weight.dims.at(-1)!;
  return {
    weight: { dims: weight.dims, data: centreColumns(weight.data, columns, stems, () => 0) },
    bias: {
      dims: bias.dims,
      // Real parts sum to 1, imaginary parts to 0.
      data: centreColumns(bias.data, columns, stems, (at) =>
        Math.floor((at * stems * planes) / columns) % 2 === 0 ? 1 : 0,
      ),
    },
  };
}

/** Adjusts rows of `columns` values, an equal share per stem, so that the stems' shares add up to `sumAt`. */
function centreColumns(
  data: Float32Array,
  columns: number,
  stems: number,
  sumAt: (at: number) => number,
): Float32Array {
  const share = columns / stems;
  return data.map((value, index) => {
    const row = index - (index % columns);
    const at = (index - row) % share;
    let lack = sumAt(at);
    for (let stem = 0; stem < stems; stem++) lack -= data[row + stem * share + at]!;
    return value + lack / stems;
  });
}
