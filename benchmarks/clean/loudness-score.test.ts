import { expect, it } from "vitest";
import { makeSeededRandom } from "../../packages/engine/dsp/seeded-random.ts";
import { findLoudnessScore } from "./loudness-score.ts";
import { findStoi } from "./stoi.ts";

const RATE_HZ = 16_000;
const random = makeSeededRandom(3);
/** Syllables: a buzz that swells four times a second. */
const speech = Float32Array.from({ length: 3 * RATE_HZ }, (_, n) => {
  const seconds = n / RATE_HZ;
  return 0.3 * Math.max(0, Math.sin(8 * Math.PI * seconds)) * (((seconds * 140) % 1) - 0.5);
});
const noise = speech.map(() => random() - 0.5);
const withNoise = (gain: number) => speech.map((value, n) => value + gain * noise[n]!);

it.each([
  ["STOI", findStoi, 1],
  ["the loudness score", findLoudnessScore, 4.5],
] as const)(
  "%s is highest for the same sound, does not depend on its level and falls with noise",
  (_, find, best) => {
    expect(find(speech, speech, RATE_HZ)).toBeCloseTo(best, 6);
    expect(
      find(
        speech,
        speech.map((value) => 0.25 * value),
        RATE_HZ,
      ),
    ).toBeCloseTo(best, 3);
    const scores = [0.003, 0.03, 0.3].map((gain) => find(speech, withNoise(gain), RATE_HZ));
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores[0]).toBeLessThan(best);
  },
);
