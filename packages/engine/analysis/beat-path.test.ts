import { describe, expect, it } from "vitest";
import { findBeatSlots, refineBeat, SLOTS_PER_SECOND } from "./beat-path.ts";

/** Logits as the network gives them: peaks at beats, doubt beside them, certainty elsewhere. */
function makeLogits(seconds: number, beats: readonly number[], peak = 2.5): Float32Array {
  const logits = new Float32Array(seconds * SLOTS_PER_SECOND).fill(-6);
  for (const beat of beats) {
    const slot = Math.round(beat * SLOTS_PER_SECOND);
    for (const [offset, value] of [
      [-1, -0.5],
      [0, peak],
      [1, -0.5],
    ] as const)
      logits[slot + offset] = value;
  }
  return logits;
}

const count = (start: number, end: number, bpm: number) =>
  Array.from({ length: Math.ceil(((end - start) * bpm) / 60) }, (_, n) => start + (n * 60) / bpm);
const toTimes = (logits: Float32Array) => findBeatSlots(logits).map((slot) => refineBeat(logits, slot));

function expectBeats(found: readonly number[], expected: readonly number[]): void {
  expect(found).toHaveLength(expected.length);
  found.forEach((time, n) => {
    expect(Math.abs(time - expected[n]!)).toBeLessThan(0.03);
  });
}

describe("beats", () => {
  it.each([50, 72, 97.3, 120, 143.7, 180, 205])("[MA1] follow a steady tempo of %d", (bpm) => {
    const beats = count(0.4, 30, bpm);
    expectBeats(toTimes(makeLogits(31, beats)), beats);
  });

  it("[MA1] follow a tempo that jumps, and one that drifts", () => {
    const jump = [...count(0.5, 20, 120), ...count(20, 40, 90)];
    expectBeats(toTimes(makeLogits(41, jump)), jump);
    const drift = [0.5];
    while (drift.at(-1)! < 40) drift.push(drift.at(-1)! + 0.4 + 0.004 * drift.at(-1)!);
    expectBeats(toTimes(makeLogits(43, drift)), drift);
  });

  it("[MA1] continue where one was missed, and ignore a stray one", () => {
    const beats = count(0.4, 30, 100);
    const without = beats.filter((_, n) => n !== 20);
    expectBeats(toTimes(makeLogits(31, [...without, 10.1])), beats);
  });

  it("[MA1] are not invented: none in silence, in a few strokes, or after the music", () => {
    expect(findBeatSlots(makeLogits(30, []))).toEqual([]);
    expect(findBeatSlots(makeLogits(30, [3, 7.3, 8.9]))).toEqual([]);
    expect(findBeatSlots(new Float32Array())).toEqual([]);
    const beats = count(0.4, 12, 100);
    expectBeats(toTimes(makeLogits(40, beats)), beats);
  });
});
