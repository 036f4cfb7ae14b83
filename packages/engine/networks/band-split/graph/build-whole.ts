import { GraphBuilder, type Value } from "../../../runtime/onnx/graph-builder.ts";
import { analyseInGraph, type GraphTransform, synthesiseInGraph } from "../../fourier-graph.ts";
import { linear } from "../../linear.ts";
import { findMasks, listGroups } from "./build-network.ts";
import type { TrainedWeights } from "./trained-weights.ts";

const CHANNELS = 2;
/** Real and imaginary part. */
const PARTS = 2;

/**
 * From audio to stems in one graph, including the transforms, so that nothing leaves the GPU in between. Takes a stereo window from
 * `WindowSpectrum.pad`, `[2, frames]`; returns `[stems × 2, windowFrames]`.
 */
export function buildWhole(
  weights: TrainedWeights,
  { windowFrames, transform }: { windowFrames: number; transform: GraphTransform },
): Uint8Array {
  const { fftSize, hopFrames, binCount } = transform;
  const { stems } = weights.config;
  const slots = windowFrames / hopFrames + 1;
  const margin = fftSize / 2;
  const graph = new GraphBuilder();
  const padded = graph.input("padded", [CHANNELS, windowFrames + 2 * margin]);
  const bySlot = graph.reshape(analyseInGraph(graph, padded, transform), [CHANNELS, slots, PARTS, binCount]);
  const mix = graph.reshape(graph.transpose(bySlot, [0, 2, 1, 3]), [1, CHANNELS * PARTS, slots, binCount]);
  const masks = findMasks({ graph, weights, multiply: linear }, mix);
  const separated = multiplyMasks(graph, joinGroups(graph, weights, masks, binCount), mix);
  const rows = graph.reshape(separated, [stems * CHANNELS, slots, PARTS * binCount]);
  const sound = synthesiseInGraph(graph, rows, transform);
  graph.output(
    graph.named("stems", graph.slice(sound, { axis: 1, from: margin, to: margin + windowFrames })),
  );
  return graph.toBytes();
}

/** The masks of all groups as `[stems, planes, slots, bins]`. */
function joinGroups(
  graph: GraphBuilder,
  weights: TrainedWeights,
  masks: readonly Value[],
  binCount: number,
): Value {
  const { stems } = weights.config;
  const planes = CHANNELS * PARTS;
  const groups = listGroups(weights).map(({ bands, binsPerBand }, index) => {
    const slots = masks[index]!.dims[1]!;
    const apart = graph.reshape(masks[index]!, [bands, slots, stems * planes, binsPerBand]);
    return graph.reshape(graph.transpose(apart, [2, 1, 0, 3]), [stems, planes, slots, bands * binsPerBand]);
  });
  const bins = groups.reduce((sum, { dims }) => sum + dims[3]!, 0);
  const joined = graph.node("Concat", groups, groups[0]!.dims.with(3, bins), { axis: 3 });
  // The last band extends beyond the spectrum.
  return graph.slice(joined, { axis: 3, from: 0, to: binCount });
}

/** Like `applyMasks`: multiplies mid and side of the mix by each stem's masks. Returns `[stems, channels, slots, parts × bins]`. */
function multiplyMasks(graph: GraphBuilder, masks: Value, mix: Value): Value {
  const take = (value: Value, at: number) => graph.slice(value, { axis: 1, from: at, to: at + 1 });
  const subtract = (a: Value, b: Value) => graph.node("Sub", [a, b], a.dims);
  const half = graph.floats([0.5]);
  const multiply = (spectra: (left: Value, right: Value) => Value, firstPlane: number) => {
    const [re, im] = [0, 1].map((part) => graph.mul(spectra(take(mix, part), take(mix, PARTS + part)), half));
    const [gainRe, gainIm] = [0, 1].map((part) => take(masks, firstPlane + part));
    return {
      re: subtract(graph.mul(gainRe!, re!), graph.mul(gainIm!, im!)),
      im: graph.add(graph.mul(gainRe!, im!), graph.mul(gainIm!, re!)),
    };
  };
  const middle = multiply((left, right) => graph.add(left, right), 0);
  const side = multiply(subtract, PARTS);
  const bins = mix.dims[3]!;
  const channels = [graph.add.bind(graph), subtract].map((join) => {
    const parts = [join(middle.re, side.re), join(middle.im, side.im)];
    return graph.node("Concat", parts, parts[0]!.dims.with(3, PARTS * bins), { axis: 3 });
  });
  return graph.node("Concat", channels, channels[0]!.dims.with(1, CHANNELS), { axis: 1 });
}
