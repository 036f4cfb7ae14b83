import { describe, expect, it } from "vitest";
import type { AudioFormat } from "./audio-format.ts";

import { decodeSignal, encodeSignal } from "./support/encode-and-decode.ts";
import { remux } from "./support/remux.ts";
import { findClickOffsetFrames, makeClickTrack } from "./support/signals.ts";
import { makeTemporaryFolder } from "./support/temporary-folder.ts";

const inFolder = makeTemporaryFolder();
const clickSeconds = [0.25, 1, 1.75];
const durationSeconds = 2.0123;

type Case = {
  format: AudioFormat;
  sampleRateHz: number;
  channels: number;
  outRateHz: number;
  outChannels: number;
};

const cases: Case[] = [
  { format: "mp3", sampleRateHz: 44100, channels: 2, outRateHz: 44100, outChannels: 2 },
  { format: "mp3", sampleRateHz: 96000, channels: 6, outRateHz: 48000, outChannels: 2 },
  { format: "mp3", sampleRateHz: 16000, channels: 1, outRateHz: 16000, outChannels: 1 },
  { format: "m4a", sampleRateHz: 44100, channels: 2, outRateHz: 44100, outChannels: 2 },
  { format: "mp4", sampleRateHz: 48000, channels: 6, outRateHz: 48000, outChannels: 6 },
  { format: "m4a", sampleRateHz: 192000, channels: 1, outRateHz: 96000, outChannels: 1 },
  { format: "opus", sampleRateHz: 44100, channels: 2, outRateHz: 48000, outChannels: 2 },
  { format: "opus", sampleRateHz: 48000, channels: 8, outRateHz: 48000, outChannels: 8 },
];

describe("formats that signal their encoder's delay", () => {
  it.each(cases)(
    "$format from $sampleRateHz Hz and $channels channels keeps clicks and length",
    async (row) => {
      const signal = makeClickTrack({ ...row, durationSeconds, clickSeconds });
      const path = inFolder(`${row.sampleRateHz}-${row.channels}.${row.format}`);
      await encodeSignal(signal, { files: [{ path, format: row.format }] });
      const back = await decodeSignal(path);
      expect(back.sampleRateHz).toBe(row.outRateHz);
      expect(back.channels).toBe(row.outChannels);
      for (const seconds of clickSeconds)
        expect(Math.abs(findClickOffsetFrames(back, seconds))).toBeLessThanOrEqual(1);
      const lengthFrames = (signal.samples.length / row.channels) * (row.outRateHz / row.sampleRateHz);
      expect(Math.abs(back.lengthFrames - lengthFrames)).toBeLessThanOrEqual(1);
    },
  );

  it.each([441, 1152, 1153, 2304, 5000])("mp3, m4a and opus hold exactly %i frames", async (lengthFrames) => {
    const formats = ["mp3", "m4a", "opus"] as const;
    const files = formats.map((format) => ({ path: inFolder(`${lengthFrames}.${format}`), format }));
    const signal = makeClickTrack({
      sampleRateHz: 48000,
      channels: 2,
      durationSeconds: lengthFrames / 48000,
      clickSeconds: [],
    });
    await encodeSignal(signal, { files });
    const back = await Promise.all(files.map(({ path }) => decodeSignal(path)));
    expect(back.map((media) => media.lengthFrames)).toEqual([lengthFrames, lengthFrames, lengthFrames]);
  });
});

describe("Matroska", () => {
  it.each(["opus", "m4a"] as const)("keeps the delay of audio from an %s", async (format) => {
    const signal = makeClickTrack({ sampleRateHz: 48000, channels: 2, durationSeconds, clickSeconds });
    const path = inFolder(`inner.${format}`);
    await encodeSignal(signal, { files: [{ path, format }] });
    remux(path, `${path}.mkv`);
    const back = await decodeSignal(`${path}.mkv`);
    expect(back.container).toBe("matroska,webm");
    for (const seconds of clickSeconds)
      expect(Math.abs(findClickOffsetFrames(back, seconds))).toBeLessThanOrEqual(1);
    expect(Math.abs(back.lengthFrames - signal.samples.length / 2)).toBeLessThanOrEqual(1);
  });
});

describe("aac, which cannot signal its delay", () => {
  it("drops the delay and so keeps clicks in place, with the length rounded up to a packet", async () => {
    const signal = makeClickTrack({ sampleRateHz: 44100, channels: 2, durationSeconds, clickSeconds });
    const path = inFolder("clicks.aac");
    await encodeSignal(signal, { files: [{ path, format: "aac" }] });
    const back = await decodeSignal(path);
    expect(back.container).toBe("aac");
    for (const seconds of clickSeconds)
      expect(Math.abs(findClickOffsetFrames(back, seconds))).toBeLessThanOrEqual(1);
    const excessFrames = back.lengthFrames - signal.samples.length / 2;
    expect(excessFrames).toBeGreaterThanOrEqual(0);
    expect(excessFrames).toBeLessThan(1024);
  });
});

describe("very short audio", () => {
  it.each(["mp3", "m4a", "aac", "opus"] as const)("one frame as %s can be read back", async (format) => {
    const path = inFolder(`one.${format}`);
    await encodeSignal(
      { sampleRateHz: 44100, channels: 2, samples: Float32Array.of(0.5, 0.5) },
      { files: [{ path, format }] },
    );
    expect((await decodeSignal(path)).lengthFrames).toBeGreaterThanOrEqual(1);
  });
});

describe("layouts Opus does not support", () => {
  it.each(["2.1", "3.1"])("%s goes into 5.1 with its channels in place", async (channelLayout) => {
    const channels = channelLayout === "2.1" ? 3 : 4;
    const signal = makeClickTrack({
      sampleRateHz: 48000,
      channels,
      durationSeconds: 0.5,
      clickSeconds: [0.25],
    });
    const path = inFolder(`${channelLayout}.opus`);
    await encodeSignal(signal, { files: [{ path, format: "opus" }], channelLayout });
    const back = await decodeSignal(path);
    expect(back.channelLayout).toBe("5.1");
    expect(findClickOffsetFrames(back, 0.25)).toBe(0);
  });
});
