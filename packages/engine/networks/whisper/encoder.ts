import type { SessionOptions } from "../../runtime/create-session.ts";
import { type FloatTensor, GraphSession, getTensor } from "../../runtime/graph-session.ts";
import { GpuGraph, tryOnGpu } from "../try-on-gpu.ts";
import { makeEncoderGraph } from "./graph/encoder-graph.ts";
import { MEL_SHAPE } from "./log-mel.ts";

/** From the mel bands of 30 s (`MEL_SHAPE`) to encoder states. */
export type Encoder = (bands: Float32Array) => Promise<FloatTensor>;

const BANDS_SHAPE = [1, ...MEL_SHAPE];

/** In float on a GPU if there is one, else in int8 on the CPU. */
export async function loadEncoder(
  network: string,
  file: Uint8Array,
  options: SessionOptions,
): Promise<{ encode: Encoder; runsOn: string }> {
  const onGpu = await tryOnGpu(network, options, () => loadForGpu(file, options));
  if (onGpu) return { encode: onGpu.loaded, runsOn: onGpu.runsOn };
  const graph = makeEncoderGraph(file, { inFloats: false });
  const session = await GraphSession.load(graph.file, { ...options, executionProvider: "cpu" });
  return {
    runsOn: "cpu in bytes",
    encode: async (bands) =>
      getTensor(await session.run({ bands: { data: bands, shape: BANDS_SHAPE } }, ["states"]), "states"),
  };
}

async function loadForGpu(weights: Uint8Array, options: SessionOptions): Promise<Encoder> {
  const { file, stateShape } = makeEncoderGraph(weights, { inFloats: true });
  const inputs = [{ name: "bands", shape: BANDS_SHAPE }];
  const graph = await GpuGraph.load(
    { file, inputs, outputs: [{ name: "states", shape: stateShape }] },
    options,
  );
  const size = stateShape.reduce((product, length) => product * length, 1);
  return async (bands) => {
    const { states } = await graph.run({ bands: bands.slice(), states: new Float32Array(size) });
    return { data: states, shape: stateShape };
  };
}
