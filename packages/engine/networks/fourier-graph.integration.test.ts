import { expect, it } from "vitest";
import { Stft } from "../dsp/transforms/stft.ts";
import { NetworkSession } from "../runtime/network-session.ts";
import { GraphBuilder } from "../runtime/onnx/graph-builder.ts";
import { analyseInGraph, synthesiseInGraph } from "./fourier-graph.ts";

const SLOTS = 6;

it.each([
  { fftSize: 64, hopFrames: 16, scaling: "orthonormal", binCount: 32 },
  { fftSize: 64, hopFrames: 32, scaling: "none", binCount: 33 },
] as const)("transforms in a graph are those of the transform: %j", async (transform) => {
  const { fftSize, hopFrames, binCount } = transform;
  const frames = (SLOTS - 1) * hopFrames + fftSize;
  const graph = new GraphBuilder();
  const spectrum = analyseInGraph(graph, graph.input("signal", [2, frames]), transform);
  graph.output(spectrum);
  graph.output(synthesiseInGraph(graph, spectrum, transform));
  const session = await NetworkSession.load(graph.toBytes(), { threads: 1 });
  const signal = session.getInput(0, [2, frames]).data;
  for (let n = 0; n < signal.length; n++) signal[n] = Math.sin(n * n * 0.01);
  const spectra = session.getOutput(0, [2, SLOTS, 2 * binCount]).data;
  const back = session.getOutput(1, [2, frames]).data;
  await session.run();

  const stft = new Stft(transform);
  for (const row of [0, 1]) {
    const planes = { re: new Float32Array(SLOTS * binCount), im: new Float32Array(SLOTS * binCount) };
    const expected = { ...planes, binCount, slotCount: SLOTS, binStride: 1, slotStride: binCount };
    stft.forward(signal.subarray(row * frames, (row + 1) * frames), expected);
    for (let slot = 0; slot < SLOTS; slot++) {
      const start = (row * SLOTS + slot) * 2 * binCount;
      for (let bin = 0; bin < binCount; bin++) {
        expect(spectra[start + bin]).toBeCloseTo(expected.re[slot * binCount + bin]!, 4);
        expect(spectra[start + binCount + bin]).toBeCloseTo(expected.im[slot * binCount + bin]!, 4);
      }
    }
    const inverse = stft.inverse(expected);
    for (let n = 0; n < frames; n++) expect(back[row * frames + n]).toBeCloseTo(inverse[n]!, 4);
  }
});
