import { describe, expect, it } from "vitest";
import { rateVoice, trackLoudness } from "./loudness-track.ts";

const RATE_HZ = 16_000;

/** A second of faint noise with a tone from 0.4 to 0.7 s. */
const samples = Float32Array.from({ length: RATE_HZ }, (_, n) => {
  const isTone = n >= 0.4 * RATE_HZ && n < 0.7 * RATE_HZ;
  return (isTone ? 0.3 * Math.sin(n / 5) : 0) + 0.001 * Math.sin(n * n);
});

describe("loudness", () => {
  it("[Z3] is tracked every 10 ms in dB, exact to the step at which a sound starts and ends", () => {
    const track = trackLoudness(samples, RATE_HZ);
    expect(track).toHaveLength(100);
    // A sine of 0.3 has −13.5 dB, and a Hann window's square a mean of 3/8.
    expect(track[55]).toBeCloseTo(-13.5 - 4.3, 0);
    const voiced = [...rateVoice(track)].flatMap((share, step) => (share > 0.5 ? [step] : []));
    expect([voiced[0], voiced.at(-1)]).toEqual([39, 70]);
  });

  it("[Z3] is empty for empty audio", () => {
    expect(trackLoudness(new Float32Array(), RATE_HZ)).toHaveLength(0);
    expect([...rateVoice(trackLoudness(new Float32Array(400), RATE_HZ))]).toEqual([0.5, 0.5, 0.5]);
  });
});
