import { mkdtempSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { makeSeededRandom } from "../dsp/seeded-random.ts";
import { VOICE_WINDOW_FRAMES } from "../networks/voices/voice-separator.ts";
import { spoolVoices, VoiceStreams } from "./voice-streams.ts";

const folder = mkdtempSync(join(tmpdir(), "stemwright-streams-"));
afterAll(() => rmSync(folder, { recursive: true }));

const RATE = 16_000;
const random = makeSeededRandom(5);
const makeVoice = () => Float32Array.from({ length: 30 * RATE }, () => random() - 0.5);
const voices = [makeVoice(), makeVoice()] as const;

/** Windows separated into the two voices, every other time exchanged. Returns how many. */
async function separateWindows(path: string, starts: readonly number[]): Promise<number> {
  let count = 0;
  await spoolVoices({
    source: {
      channels: 1,
      sampleRateHz: RATE,
      lengthFrames: 30 * RATE,
      read: (start, length) => voices.map((voice) => voice.slice(start, start + length)),
    },
    separator: {
      separate: async (planes) => {
        const [first = new Float32Array(), second = new Float32Array()] = planes;
        count += 1;
        return count % 2 === 1 ? [[first], [second]] : [[second], [first]];
      },
    },
    starts,
    path,
    onProgress: () => {},
  });
  return count;
}

function findDifference([stream = new Float32Array()]: Float32Array[], voice: Float32Array): number {
  return stream.reduce((most, value, n) => Math.max(most, Math.abs(value - (voice[n] ?? 0))), 0);
}

it("follows voices through windows that overlap by any amount, and joins them without a seam", async () => {
  const starts = [0, 0.5, 4, 11, 18.9].map((seconds) => seconds * RATE);
  const path = join(folder, "any.f32");
  await separateWindows(path, starts);
  using streams = new VoiceStreams(path, { channels: 1, starts });
  const [first, second] = streams.read(0, 26 * RATE);
  expect(findDifference(first, voices[0])).toBeLessThan(1e-6);
  expect(findDifference(second, voices[1])).toBeLessThan(1e-6);
  const [, block] = streams.read(5 * RATE, RATE);
  expect(findDifference(block, voices[1].subarray(5 * RATE))).toBeLessThan(1e-6);
});

it("is silent where no window was separated", async () => {
  const starts = [0, 20 * RATE];
  const path = join(folder, "gap.f32");
  await separateWindows(path, starts);
  using streams = new VoiceStreams(path, { channels: 1, starts });
  expect(
    streams
      .read(9 * RATE, 10 * RATE)
      .flat(2)
      .some((plane) => plane.some(Boolean)),
  ).toBe(false);
  expect(
    streams
      .read(21 * RATE, RATE)
      .flat(2)
      .every((plane) => plane.some(Boolean)),
  ).toBe(true);
});

it("a killed run resumes after its last whole window", async () => {
  const starts = [0, 6, 12].map((seconds) => seconds * RATE);
  const path = join(folder, "killed.f32");
  expect(await separateWindows(path, starts)).toBe(3);
  truncateSync(path, 1.5 * VOICE_WINDOW_FRAMES * 2 * Float32Array.BYTES_PER_ELEMENT);
  expect(await separateWindows(path, starts)).toBe(2);
  using streams = new VoiceStreams(path, { channels: 1, starts });
  expect(findDifference(streams.read(0, 20 * RATE)[0], voices[0])).toBeLessThan(1e-6);
});
