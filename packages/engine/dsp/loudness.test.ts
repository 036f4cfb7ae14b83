import { describe, expect, it } from "vitest";
import { LoudnessMeter, toLoudness } from "./loudness.ts";

const RATE_HZ = 48_000;
const STEP = RATE_HZ / 10;

function measure(planes: readonly Float32Array[]) {
  const meter = new LoudnessMeter({ sampleRateHz: RATE_HZ, channels: planes.length });
  const steps = Array.from({ length: planes[0]!.length / STEP }, (_, n) =>
    meter.measure(planes, n * STEP, (n + 1) * STEP),
  );
  return toLoudness(
    steps.map(({ power }) => power),
    steps.map(({ peak }) => peak),
  );
}

const sine = (seconds: number, hz: number, levelDb: number, phase = 0) =>
  Float32Array.from(
    { length: seconds * RATE_HZ },
    (_, n) => 10 ** (levelDb / 20) * Math.sin((2 * Math.PI * hz * n) / RATE_HZ + phase),
  );

function join(parts: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

describe("loudness", () => {
  it("[MA8] of a 1 kHz sine at −23 dBFS in both channels is −23 LUFS (EBU Tech 3341, case 1)", () => {
    const tone = sine(10, 1000, -23);
    const loudness = measure([tone, tone]);
    expect(loudness.integratedLufs).toBeCloseTo(-23, 1);
    expect(loudness.truePeakDbtp).toBeCloseTo(-23, 1);
    expect(loudness.rangeLu).toBe(0);
  });

  it("[MA8] counts only what is louder than its gates (case 3), and its range is that of Tech 3342, case 1", () => {
    const plane = join([sine(2, 1000, -36), sine(8, 1000, -23), sine(2, 1000, -36)]);
    expect(Math.abs(measure([plane, plane]).integratedLufs! + 23)).toBeLessThan(0.15);
    const halves = join([sine(8, 1000, -20), sine(8, 1000, -30)]);
    expect(Math.abs(measure([halves, halves]).rangeLu! - 10)).toBeLessThanOrEqual(1);
  });

  it("[MA8] has the peak between samples", () => {
    expect(Math.abs(measure([sine(1, RATE_HZ / 4, -6, Math.PI / 4)]).truePeakDbtp! + 6)).toBeLessThan(0.4);
  });

  it("[MA8] of silence is null", () => {
    expect(measure([new Float32Array(RATE_HZ)])).toEqual({
      integratedLufs: null,
      truePeakDbtp: null,
      rangeLu: null,
    });
  });
});
