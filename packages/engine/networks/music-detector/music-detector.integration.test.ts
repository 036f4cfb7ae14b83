import { describe, expect, it } from "vitest";
import { ArraySource } from "../../dsp/sources/array-source.ts";
import { loadManifests } from "../../manifests/manifest.ts";
import { makeSyntheticSong } from "../../support/synthetic-song.ts";
import { NetworkStore } from "../network-store.ts";
import { countSteps, MUSIC_RATE_HZ } from "./music-detector.ts";

const manifest = loadManifests().find((entry) => entry.family === "music-detector");
if (manifest === undefined) throw new Error("no manifest for a music detector");
const detector = await new NetworkStore({ threads: 1 }).getMusicDetector(manifest);

const LENGTH_FRAMES = 24 * MUSIC_RATE_HZ;
let seed = 12345;
const noise = Float32Array.from({ length: LENGTH_FRAMES }, () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return 0.1 * (seed / 2 ** 31 - 1);
});
const mean = (values: Float32Array) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("the music detector", () => {
  const [song = new Float32Array()] = makeSyntheticSong({
    sampleRateHz: MUSIC_RATE_HZ,
    lengthFrames: LENGTH_FRAMES,
  });
  const stepCount = countSteps(LENGTH_FRAMES);

  it("[H3] detects music in a song, and none in noise or silence", async () => {
    const infer = (samples: Float32Array) =>
      detector.infer(new ArraySource([samples], MUSIC_RATE_HZ), { firstStep: 0, stepCount });
    expect(mean(await infer(song))).toBeGreaterThan(0.8);
    expect(mean(await infer(noise))).toBeLessThan(0.2);
    expect(mean(await infer(new Float32Array(LENGTH_FRAMES)))).toBeLessThan(0.1);
  });

  it("[H3] returns the same numbers however the recording is split into calls", async () => {
    const recording = new ArraySource([song], MUSIC_RATE_HZ);
    const whole = await detector.infer(recording, { firstStep: 0, stepCount });
    for (let firstStep = 0; firstStep < stepCount; firstStep += 60) {
      const part = await detector.infer(recording, {
        firstStep,
        stepCount: Math.min(60, stepCount - firstStep),
      });
      for (const [n, value] of part.entries()) {
        expect(value).toBeCloseTo(whole[firstStep + n] ?? Number.NaN, 4);
      }
    }
  });
});
