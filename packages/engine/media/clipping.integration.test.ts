import { expect, it } from "vitest";
import { openEncoder } from "./open-encoder.ts";
import { decodeSignal } from "./support/encode-and-decode.ts";
import { makeTemporaryFolder } from "./support/temporary-folder.ts";

const inFolder = makeTemporaryFolder();

it("[O12] reports for each file how many samples were clipped", async () => {
  const files = [
    { path: inFolder("a.flac"), format: "flac" },
    { path: inFolder("a.aiff"), format: "aiff" },
    { path: inFolder("16.wav"), format: "wav", wavBitDepth: 16 },
    { path: inFolder("24.wav"), format: "wav", wavBitDepth: 24 },
    { path: inFolder("32.wav"), format: "wav" },
    { path: inFolder("a.mp3"), format: "mp3" },
  ] as const;
  const encoder = await openEncoder({ sampleRateHz: 44_100, channels: 2, channelLayout: "stereo", files });
  const samples = Float32Array.from({ length: 20_000 }, (_, at) => Math.sin(at / 20) / 2);
  // Full scale itself does not clip.
  samples.set([1, -1, 1.5, -1.5, 1.0001], 5000);
  await encoder.write(samples);
  expect(await encoder.finish()).toEqual({ clippedSamples: [3, 3, 3, 3, 0, 0] });
  expect((await decodeSignal(inFolder("32.wav"))).samples).toEqual(samples);
  expect((await decodeSignal(inFolder("a.flac"))).samples[5002]).toBeCloseTo(1, 5);
});

it.each(["mp3", "m4a", "mp4", "aac", "opus"] as const)(
  "[O30] %s holds the loudest samples that an input can have",
  async (format) => {
    const path = inFolder(`loud.${format}`);
    const encoder = await openEncoder({
      ...{ sampleRateHz: 44_100, channels: 2, channelLayout: "stereo" },
      files: [{ path, format }],
    });
    await encoder.write(Float32Array.from({ length: 40_000 }, (_, at) => Math.sin(at / 20) * 2 ** 32));
    await encoder.finish();
    const { samples } = await decodeSignal(path);
    const peak = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    expect(peak).toBeGreaterThan(6);
    expect(peak).toBeLessThan(20);
  },
);
