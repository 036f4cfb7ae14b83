import { GraphBuilder, type Value } from "../../../runtime/onnx/graph-builder.ts";
import type { OnnxWeights } from "../../../runtime/onnx/onnx-weights.ts";
import { analyseInGraph, synthesiseInGraph } from "../../fourier-graph.ts";
import { linear } from "../../linear.ts";
import { BIN_COUNT, EDGE_FRAMES, HTDEMUCS_TRANSFORM } from "../segment-spectrum.ts";
import { SCORE_FLOOR } from "../standard-score.ts";
import { decodeBranch, encodeBranch } from "./branches.ts";
import { crossTransformer } from "./transformer.ts";

const CHANNELS = 2;

/**
 * From audio to stems in one graph, including transforms and normalisation, so that nothing leaves the GPU in between. Takes a stereo segment from
 * `SegmentSpectrum.pad`, `[2, frames]`; returns `[stems × 2, segmentFrames]`.
 */
export function buildWhole(
  weights: OnnxWeights,
  options: { segmentFrames: number; slotCount: number; stemCount: number },
): Uint8Array {
  const { segmentFrames, slotCount, stemCount } = options;
  const graph = new GraphBuilder();
  const scope = { graph, weights };
  const rows = stemCount * CHANNELS;
  const hops = slotCount + HTDEMUCS_TRANSFORM.fftSize / HTDEMUCS_TRANSFORM.hopFrames - 1;
  const padded = graph.input("padded", [CHANNELS, hops * HTDEMUCS_TRANSFORM.hopFrames]);
  const inner = { axis: 1, from: EDGE_FRAMES, to: EDGE_FRAMES + segmentFrames };

  const sound = score(graph, graph.reshape(graph.slice(padded, inner), [1, CHANNELS, segmentFrames]));
  const spectrum = score(graph, toChannels(graph, analyseInGraph(graph, padded, HTDEMUCS_TRANSFORM)));
  const down = encodeBranch(scope, "encoder", spectrum.value);
  const downT = encodeBranch(scope, "tencoder", sound.value);
  const middle = crossTransformer({ ...scope, multiply: linear }, down.at(-1)!, downT.at(-1)!);
  const lengthsOf = (values: readonly Value[]) => values.map(({ dims }) => dims[2]!);
  const up = decodeBranch(scope, "decoder", {
    middle: middle.spectrum,
    encoded: down,
    lengths: lengthsOf([spectrum.value, ...down]),
  });
  const upT = decodeBranch(scope, "tdecoder", {
    middle: middle.waveform,
    encoded: downT,
    lengths: lengthsOf([sound.value, ...downT]),
  });

  const spectra = unscore(graph, graph.reshape(up, [rows, 2, BIN_COUNT, slotCount]), spectrum);
  const bySlot = graph.reshape(graph.transpose(spectra, [0, 3, 1, 2]), [rows, slotCount, 2 * BIN_COUNT]);
  const fromSpectrum = graph.slice(synthesiseInGraph(graph, bySlot, HTDEMUCS_TRANSFORM), inner);
  const waves = unscore(graph, graph.reshape(upT, [rows, segmentFrames]), sound);
  graph.output(graph.named("stems", graph.add(fromSpectrum, waves)));
  return graph.toBytes();
}

/** `[2, slots, 2 × bins]` to real and imaginary parts as channels: `[1, 4, bins, slots]`. */
function toChannels(graph: GraphBuilder, spectrum: Value): Value {
  const slots = spectrum.dims[1]!;
  const parts = graph.reshape(spectrum, [CHANNELS, slots, 2, BIN_COUNT]);
  return graph.reshape(graph.transpose(parts, [0, 2, 3, 1]), [1, 2 * CHANNELS, BIN_COUNT, slots]);
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
