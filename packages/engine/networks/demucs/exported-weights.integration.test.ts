import { expect, it } from "vitest";
import { loadManifests } from "../../manifests/manifest.ts";
import { NetworkSession } from "../../runtime/network-session.ts";
import { findWeightsPath } from "../../runtime/weights-file.ts";
import { makeSyntheticSong } from "../../support/synthetic-song.ts";
import { Demucs } from "./demucs.ts";
import { SegmentSpectrum } from "./segment-spectrum.ts";

const manifest = loadManifests().find((candidate) => candidate.family === "demucs");
if (manifest?.family !== "demucs") throw new Error("no manifest with the family demucs");
const { segmentFrames, stems } = manifest;
const weightsPath = findWeightsPath(manifest.weights) ?? "";
const [left, right] = makeSyntheticSong({ sampleRateHz: 44_100, lengthFrames: segmentFrames });
const segment = [left, right] as [Float32Array, Float32Array];

/** Runs the exported graph of the weights file as its exporter intended. */
async function separateByOriginal(): Promise<Map<string, Float32Array>> {
  const spectrum = new SegmentSpectrum({ fftSize: 4096, isShifted: false }, segmentFrames);
  const slots = spectrum.slotCount;
  const size = 2048 * slots;
  const planes = (data: Float32Array, row: number) => ({
    re: data.subarray(2 * row * size, (2 * row + 1) * size),
    im: data.subarray((2 * row + 1) * size, (2 * row + 2) * size),
  });
  const session = await NetworkSession.load(weightsPath, { threads: 2 });
  const waveformIn = session.getInput(0, [1, 2, segmentFrames]).data;
  const spectrumIn = session.getInput(1, [1, 4, 2048, slots]).data;
  const spectrumOut = session.getOutput(0, [1, 4, 4, 2048, slots]).data;
  const waveformOut = session.getOutput(1, [1, 4, 2, segmentFrames]).data;
  segment.forEach((plane, channel) => {
    waveformIn.set(plane, channel * segmentFrames);
    spectrum.analyse(plane, planes(spectrumIn, channel));
  });
  await session.run();
  return new Map(
    stems.map((stem, index) => {
      const plane = spectrum.synthesise(planes(spectrumOut, 2 * index));
      return [stem, plane.map((value, n) => value + waveformOut[2 * index * segmentFrames + n]!)];
    }),
  );
}

const expected = await separateByOriginal();

it.each([
  { inBytes: false, runsOn: "cpu", leastDb: 60 },
  { inBytes: true, runsOn: "cpu in bytes", leastDb: 25 },
])(
  "the network written anew gives the stems of the graph it was read from: in bytes $inBytes",
  async (one) => {
    const { inBytes, leastDb } = one;
    const { network, runsOn } = await Demucs.load(weightsPath, manifest, { threads: 2, inBytes });
    expect(runsOn).toBe(one.runsOn);
    const actual = await network.separate(segment, stems);
    for (const stem of stems) {
      const [reference, [plane]] = [expected.get(stem)!, actual.get(stem)!];
      let power = 0;
      let error = 0;
      for (let n = 0; n < segmentFrames; n++) {
        power += reference[n]! ** 2;
        error += (reference[n]! - plane![n]!) ** 2;
      }
      expect(10 * Math.log10(power / error), stem).toBeGreaterThan(leastDb);
    }
    const again = await network.separate(segment, ["vocals"]);
    expect(again.get("vocals")).toEqual(actual.get("vocals"));
  },
  120_000,
);
