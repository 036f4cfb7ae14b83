import { expect, it } from "vitest";
import { hasSpeech, markSpeech, maskNonSpeech } from "./mask-non-speech.ts";
import { NO_SPEAKER, STEPS_PER_SECOND } from "./turns.ts";

it("[VO1] far from detected speech nobody has a turn, but a voice is still active", () => {
  const steps = 4 * STEPS_PER_SECOND;
  const turns = {
    voiceCount: 1,
    speakers: new Int8Array(steps),
    overlapping: new Int8Array(steps).fill(NO_SPEAKER),
    confidence: new Float32Array(steps),
    activeCount: new Uint8Array(steps).fill(1),
  };
  const isSpeech = markSpeech([{ startFrame: 32_000, endFrame: 48_000 }], {
    stepCount: steps,
    sampleRateHz: 16_000,
  });
  const kept = maskNonSpeech(turns, isSpeech);
  expect(hasSpeech({ from: 0, to: STEPS_PER_SECOND }, isSpeech)).toBe(false);
  expect(hasSpeech({ from: STEPS_PER_SECOND, to: 2 * STEPS_PER_SECOND }, isSpeech)).toBe(true);
  const [early, near, late] = [1, 1.6, 3.9].map((seconds) => seconds * STEPS_PER_SECOND);
  expect([early, near, late].map((step) => kept.speakers[step!])).toEqual([NO_SPEAKER, 0, NO_SPEAKER]);
  expect([early, near, late].map((step) => kept.activeCount[step!])).toEqual([1, 1, 1]);
});
