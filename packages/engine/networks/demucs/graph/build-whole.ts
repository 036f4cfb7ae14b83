import { GraphBuilder, type Value } from "../../../runtime/onnx/graph-builder.ts";
import { analyseInGraph, synthesiseInGraph } from "../../fourier-graph.ts";
import { linear } from "../../linear.ts";
import { SegmentSpectrum, toTransform } from "../segment-spectrum.ts";
import { SCORE_FLOOR } from "../standard-score.ts";
import { decodeBranch, encodeBranch, planBranches } from "./branches.ts";
import type { DemucsGraph } from "./demucs-graph.ts";
import { crossTransformer, hasTransformer } from "./transformer.ts";

/**
 * From audio to stems in one graph, including transforms and normalisation, so that nothing leaves the GPU in between. Takes a segment from
 * `SegmentSpectrum.pad`, `[channels, frames]`; returns `[stems × channels, segmentFrames]`.
 */
export function buildWhole(
  network: Pick<DemucsGraph, "weights" | "config">,
  segmentFrames: number,
): Uint8Array {
  const { config } = network;
  const { audioChannels: channels, stemCount } = config;
  const segment = new SegmentSpectrum(config, segmentFrames);
  const { slotCount, binCount } = segment;
  const transform = toTransform(config);
  const graph = new GraphBuilder();
  const scope = { graph, ...network };
  const rows = stemCount * channels;
  const padded = graph.input("padded", [channels, segment.paddedFrames]);
  const inner = (from: number) => ({ axis: 1, from, to: from + segmentFrames });

  const audio = graph.slice(padded, inner(segment.edgeFrames));
  const sound = score(graph, graph.reshape(audio, [1, channels, segmentFrames]));
  const bins = toChannels(graph, analyseInGraph(graph, padded, transform), channels);
  const spectrum = score(graph, bins);
  const isMerged = planBranches(network).waveform.at(-1)?.isEmpty ?? false;
  const downT = encodeBranch(scope, "waveform", { input: sound.value });
  const joins = isMerged ? downT.at(-1) : undefined;
  const down = encodeBranch(scope, "spectrum", { input: spectrum.value, joins });
  const middle = hasTransformer(network.weights)
    ? crossTransformer({ ...scope, multiply: linear }, down.at(-1)!, downT.at(-1)!)
    : undefined;
  const up = decodeBranch(scope, "spectrum", {
    middle: middle?.spectrum,
    encoded: down,
    lengths: listLengths(scope, "spectrum", [spectrum.value, ...down]),
  });
  const upT = decodeBranch(scope, "waveform", {
    middle: isMerged ? up.parting : middle?.waveform,
    encoded: isMerged ? downT.slice(0, -1) : downT,
    lengths: listLengths(scope, "waveform", [sound.value, ...downT]),
  });

  const spectra = unscore(graph, graph.reshape(up.output, [rows, 2, binCount, slotCount]), spectrum);
  const bySlot = graph.reshape(graph.transpose(spectra, [0, 3, 1, 2]), [rows, slotCount, 2 * binCount]);
  const fromSpectrum = graph.slice(synthesiseInGraph(graph, bySlot, transform), inner(segment.cutFrames));
  const waves = unscore(graph, graph.reshape(upT.output, [rows, segmentFrames]), sound);
  graph.output(graph.named("stems", graph.add(fromSpectrum, waves)));
  return graph.toBytes();
}

function listLengths(
  scope: DemucsGraph,
  branch: "spectrum" | "waveform",
  inputs: readonly Value[],
): number[] {
  return planBranches(scope)[branch].map(
    ({ isSpectrum }, level) => inputs[level]!.dims.at(isSpectrum ? 2 : -1)!,
  );
}

/** `[channels, slots, 2 × bins]` to real and imaginary parts as channels: `[1, 2 × channels, bins, slots]`. */
function toChannels(graph: GraphBuilder, spectrum: Value, channels: number): Value {
  const [, slots, size] = spectrum.dims as [number, number, number];
  const parts = graph.reshape(spectrum, [channels, slots, 2, size / 2]);
  return graph.reshape(graph.transpose(parts, [0, 2, 3, 1]), [1, 2 * channels, size / 2, slots]);
}

type Scored = { value: Value; mean: Value; deviation: Value };

/** Normalises to mean 0 and deviation 1 as `normalise` does. Averages rows first: a GPU has a thread group for each. */
function score(graph: GraphBuilder, value: Value): Scored {
  const [, rows] = value.dims as [number, number];
  const count = value.dims.reduce((product, size) => product * size, 1);
  const flat = graph.reshape(value, [rows, count / rows]);
  const mean = graph.mean(graph.mean(flat, 1), 0);
  const apart = graph.node("Sub", [flat, mean], flat.dims);
  const variance = graph.mean(graph.mean(graph.mul(apart, apart), 1), 0);
  const unbiased = graph.mul(variance, graph.floats([count / (count - 1)]));
  const deviation = graph.node("Sqrt", [unbiased], unbiased.dims);
  const scale = graph.add(deviation, graph.floats([SCORE_FLOOR]));
  const scored = graph.node("Div", [apart, scale], flat.dims);
  const scalar = (of: Value) => graph.reshape(of, [1]);
  return { value: graph.reshape(scored, value.dims), mean: scalar(mean), deviation: scalar(deviation) };
}

function unscore(graph: GraphBuilder, value: Value, { mean, deviation }: Scored): Value {
  return graph.add(graph.mul(value, deviation), mean);
}
