import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interleave } from "../../dsp/interleave.ts";
import { isStemManifest, loadManifests } from "../../manifests/manifest.ts";
import { EngineProcess } from "../../process/engine-process.ts";
import { NetworkSession } from "../../runtime/network-session.ts";
import { findWeightsPath } from "../../runtime/weights-file.ts";
import { readSound, writeSound } from "../../support/sound-file.ts";
import { makeSyntheticSong } from "../../support/synthetic-song.ts";
import { BandSplit } from "./band-split.ts";
import { STEREO_TRANSFORM, WindowSpectrum } from "./window-spectrum.ts";

const SAMPLE_RATE_HZ = 44_100;
const MODELS = ["dialogue", "effects", "music", "music_fx", "music_removal"] as const;

const folder = mkdtempSync(join(tmpdir(), "stemwright-band-split-"));
const engine = new EngineProcess();
const song = makeSyntheticSong({ sampleRateHz: SAMPLE_RATE_HZ, lengthFrames: 3 * SAMPLE_RATE_HZ });

const pathOf = (model: string) => join(folder, `${model}.wav`);
const readStem = (model: (typeof MODELS)[number]) => interleave(readSound(pathOf(model)).planes);
const energy = (samples: Float32Array) => samples.reduce((sum, value) => sum + value * value, 0);
const shareDb = (part: Float32Array, whole: Float32Array) => 10 * Math.log10(energy(part) / energy(whole));

describe("dialogue, music and effects from one network pass", () => {
  let mix: Float32Array;

  beforeAll(async () => {
    writeSound(join(folder, "song.wav"), song, SAMPLE_RATE_HZ);
    mix = interleave(song);
    const targets = MODELS.map((model) => ({
      kind: "sound" as const,
      key: model,
      model,
      files: [{ output: "stem" as const, format: "wav" as const, path: pathOf(model) }],
    }));
    await engine.run({ inputPath: join(folder, "song.wav"), workDir: join(folder, "work"), targets });
  });
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("music_fx is the input without dialogue, to the bit", () => {
    const dialogue = readStem("dialogue");
    expect(readStem("music_fx")).toEqual(mix.map((value, n) => value - dialogue[n]!));
  });

  it("[M30] music is what music_removal removes, to the bit", () => {
    const music = readStem("music");
    expect(readStem("music_removal")).toEqual(mix.map((value, n) => value - music[n]!));
  });

  it("dialogue, music and effects sum to the input", () => {
    const [dialogue, music, effects] = (["dialogue", "music", "effects"] as const).map(readStem);
    const lacks = mix.map((value, n) => Math.abs(value - dialogue![n]! - music![n]! - effects![n]!));
    expect(lacks.reduce((largest, lack) => Math.max(largest, lack))).toBeLessThan(1e-6);
  });

  it("separates a song with a sung vowel as music, not as dialogue or effects", () => {
    expect(shareDb(readStem("dialogue"), mix)).toBeLessThan(-10);
    expect(shareDb(readStem("effects"), mix)).toBeLessThan(-3);
    expect(shareDb(readStem("music_removal"), mix)).toBeLessThan(-3);
  });
});

describe("the rebuilt graph", () => {
  const manifest = loadManifests().find(({ id }) => id === "dialogue-music-effects");
  if (manifest === undefined || !isStemManifest(manifest)) throw new Error("no such manifest");
  const { stems } = manifest;
  const weightsPath = findWeightsPath(manifest.weights) ?? "";
  // Short, to save time: any number of slots works.
  const segmentFrames = 64 * 1024;
  const segment = makeSyntheticSong({ sampleRateHz: SAMPLE_RATE_HZ, lengthFrames: segmentFrames }) as [
    Float32Array,
    Float32Array,
  ];

  /** Runs the exported graph of the weights file as training/README.md describes; returns the left channels of the stems. */
  async function separateByOriginal(): Promise<Float32Array[]> {
    const spectrum = new WindowSpectrum(segmentFrames, STEREO_TRANSFORM);
    const size = spectrum.slotCount * spectrum.binCount;
    const planes = (data: Float32Array, row: number) => ({
      re: data.subarray(2 * row * size, (2 * row + 1) * size),
      im: data.subarray((2 * row + 1) * size, (2 * row + 2) * size),
    });
    const session = await NetworkSession.load(weightsPath, { threads: 2 });
    const mix = session.getInput(0, [1, 4, spectrum.slotCount, spectrum.binCount]).data;
    const output = session.getOutput(0, [1, stems.length, 4, spectrum.slotCount, spectrum.binCount]).data;
    segment.forEach((window, channel) => {
      spectrum.analyse(window, planes(mix, channel));
    });
    await session.run();
    return stems.map((_, index) => spectrum.synthesise(planes(output, 2 * index)));
  }

  it.each([
    { inBytes: false, runsOn: "cpu", mostDb: -80 },
    { inBytes: true, runsOn: "cpu in bytes", mostDb: -40 },
  ])("gives the stems of the graph it was read from, and they sum to the window: $runsOn", async (one) => {
    const expected = await separateByOriginal();
    const options = { threads: 2, inBytes: one.inBytes };
    const { network, runsOn } = await BandSplit.load(weightsPath, { ...manifest, segmentFrames }, options);
    expect(runsOn).toBe(one.runsOn);
    const actual = await network.separate(segment, stems);
    const left = stems.map((stem) => actual.get(stem)?.[0] ?? new Float32Array());
    left.forEach((plane, index) => {
      const reference = expected[index]!;
      expect(
        shareDb(
          plane.map((value, n) => value - reference[n]!),
          segment[0],
        ),
      ).toBeLessThan(one.mostDb);
    });
    const lack = segment[0].map((value, n) => left.reduce((rest, plane) => rest - plane[n]!, value));
    // −120 dBFS.
    expect(Math.max(...lack.map(Math.abs))).toBeLessThan(1e-6);
  });
});
