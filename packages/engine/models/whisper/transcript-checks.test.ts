import { expect, it } from "vitest";
import { isDoubtful, isLooping, isSilent } from "./transcript-checks.ts";
import type { WrittenWindow } from "./write-windows.ts";

const written = (change: Partial<WrittenWindow>): WrittenWindow => ({
  language: "en",
  tokens: [1, 2],
  logProbs: [-0.2, -0.2, -0.2],
  noSpeechProbability: 0.1,
  isBrokenOff: false,
  ...change,
});

it("[V5] improbable and circular texts are doubtful; what the decoder hears no speech in is silence", () => {
  const sure = written({});
  const unsure = written({ logProbs: [-1.5, -1, -1.2] });
  expect(isDoubtful(sure, "Seven ships.")).toBe(false);
  expect(isDoubtful(unsure, "Seven ships.")).toBe(true);
  expect(isDoubtful(sure, "Thank you. ".repeat(20))).toBe(true);
  expect(isDoubtful(written({ isBrokenOff: true }), "x")).toBe(true);
  expect(isLooping(written({ isBrokenOff: true }), "x")).toBe(true);
  expect(isSilent(sure)).toBe(false);
  expect(isSilent({ ...unsure, noSpeechProbability: 0.9 })).toBe(true);
  expect(isSilent({ ...sure, noSpeechProbability: 0.9 })).toBe(false);
  expect(isSilent(written({ tokens: [] }))).toBe(true);
});
