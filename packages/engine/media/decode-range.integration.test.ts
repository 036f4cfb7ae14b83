import { describe, expect, it } from "vitest";
import { AUDIO_FORMATS } from "./audio-format.ts";
import { decodeSignal, encodeSignal } from "./support/encode-and-decode.ts";
import type { Signal } from "./support/signals.ts";
import { makeTemporaryFolder } from "./support/temporary-folder.ts";

const inFolder = makeTemporaryFolder();
const sampleRateHz = 44_100;
const LENGTH_SECONDS = 20;
/** A rising tone, so that no two moments are alike; AAC synthesises different noise each time. */
const signal: Signal = {
  sampleRateHz,
  channels: 1,
  samples: Float32Array.from(
    { length: LENGTH_SECONDS * sampleRateHz },
    (_, frame) => 0.5 * Math.sin(2 * Math.PI * (frame / sampleRateHz) * (200 + (40 * frame) / sampleRateHz)),
  ),
};
const TOLERATED_DIFFERENCE = 1e-4;

describe("decoding some seconds of a file", () => {
  it.each(AUDIO_FORMATS)("gives what decoding all of it gives there: %s", async (format) => {
    const path = inFolder(`tone.${format}`);
    await encodeSignal(signal, { files: [{ path, format }] });
    const whole = await decodeSignal(path);
    const ranges = [
      { startSeconds: 0, endSeconds: 1.5 },
      { startSeconds: 1.25, endSeconds: 3 },
      { startSeconds: 11.333, endSeconds: 13.777 },
      { startSeconds: 18.5, endSeconds: 25 },
      { startSeconds: 30, endSeconds: 31 },
    ];
    for (const range of ranges) {
      const part = await decodeSignal(path, range);
      const [from, to] = [range.startSeconds, range.endSeconds].map(
        (seconds) => Math.round(seconds * whole.sampleRateHz) * whole.channels,
      );
      const expected = whole.samples.slice(from, to);
      expect(part.samples.length, JSON.stringify(range)).toBe(expected.length);
      const worst = expected.reduce(
        (most, value, at) => Math.max(most, Math.abs(value - (part.samples[at] ?? 9))),
        0,
      );
      expect(worst, JSON.stringify(range)).toBeLessThan(TOLERATED_DIFFERENCE);
    }
  });
});
