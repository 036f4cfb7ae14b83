import { describe, expect, it } from "vitest";
import { probeMedia } from "./probe-media.ts";
import { decodeSignal, encodeSignal } from "./support/encode-and-decode.ts";
import { makeNoise } from "./support/signals.ts";
import { makeTemporaryFolder } from "./support/temporary-folder.ts";

const inFolder = makeTemporaryFolder();
const make = (channels: number) => makeNoise({ sampleRateHz: 48_000, channels, lengthFrames: 3000 });

describe("audio with more than eight channels", () => {
  it.each([9, 10, 16, 24, 64, 65, 255])(
    "[A6] [O4] of %i is read, and kept by wav and aiff",
    async (channels) => {
      const signal = make(channels);
      const files = (["wav", "aiff"] as const).map((format) => ({
        path: inFolder(`${channels}.${format}`),
        format,
      }));
      await encodeSignal(signal, { files });
      for (const { path } of files) {
        expect(await probeMedia(path)).toMatchObject({ channels });
        const back = await decodeSignal(path);
        expect(back).toMatchObject({ channels, lengthFrames: 3000 });
        expect(back.samples).toEqual(signal.samples);
      }
    },
  );

  it.each(["mp3", "m4a", "mp4", "aac", "opus"] as const)(
    "[A6] is mixed to stereo for %s, channel by channel to the left and to the right",
    async (format) => {
      for (const channels of [9, 12]) {
        const path = inFolder(`mixed-${channels}.${format}`);
        const lengthFrames = 9600;
        const samples = new Float32Array(channels * lengthFrames);
        // The left output has only the second channel from the end, or also an unpaired last one.
        const loud = channels % 2 === 0 ? channels - 2 : channels - 3;
        for (let frame = 0; frame < lengthFrames; frame++)
          samples[frame * channels + loud] = 0.9 * Math.sin((2 * Math.PI * 440 * frame) / 48_000);
        await encodeSignal({ sampleRateHz: 48_000, channels, samples }, { files: [{ path, format }] });
        const mixed = await decodeSignal(path);
        expect(mixed).toMatchObject({ channels: 2, channelLayout: "stereo" });
        const levelOf = (side: number) =>
          mixed.samples.reduce(
            (peak, value, at) => (at % 2 === side ? Math.max(peak, Math.abs(value)) : peak),
            0,
          );
        expect(levelOf(0)).toBeGreaterThan(0.1);
        expect(levelOf(1)).toBeLessThan(0.02);
      }
    },
  );

  it("[A6] does not fit flac, which is reported before anything is written", async () => {
    const encoding = encodeSignal(make(9), { files: [{ path: inFolder("9.flac"), format: "flac" }] });
    await expect(encoding).rejects.toMatchObject({
      kind: "encode-failed",
      message: expect.stringMatching(/flac holds at most 8 channels.*Ask for wav or aiff/),
    });
  });

  it("[A6] keeps the names of its channels", async () => {
    const path = inFolder("7.1.4.wav");
    await encodeSignal(make(12), { files: [{ path, format: "wav" }], channelLayout: "7.1.4" });
    expect(await probeMedia(path)).toMatchObject({ channels: 12, channelLayout: "7.1.4" });
    await encodeSignal(make(12), {
      files: [{ path: inFolder("7.1.4.mp3"), format: "mp3" }],
      channelLayout: "7.1.4",
    });
    expect(await probeMedia(inFolder("7.1.4.mp3"))).toMatchObject({ channels: 2 });
  });
});
