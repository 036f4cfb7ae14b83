import { expect, it } from "vitest";
import { isDoubtful, isLooping, isRepeatedForSure, isSilent } from "./transcript-checks.ts";
import type { WrittenWindow } from "./write-windows.ts";

const written = (change: Partial<WrittenWindow>): WrittenWindow => {
  const { tokens = [1, 2], logProbs = [-0.2, -0.2, -0.2] } = change;
  const words = { tokens, logProbs: logProbs.slice(0, tokens.length) };
  return { language: "en", tokens, logProbs, words, noSpeechProbability: 0.1, isBrokenOff: false, ...change };
};

it("[V5] improbable and looping texts are doubtful; windows in which the decoder detects no speech are silent", () => {
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

it("[V5] a confident full stop and end token do not make a cough speech", () => {
  const cough = written({
    tokens: [1, 2, 3, 4],
    logProbs: [-2.6, -1.1, -0.1, -0.4, 0],
    words: { tokens: [1, 2, 3], logProbs: [-2.6, -1.1, -0.1] },
    noSpeechProbability: 0.41,
  });
  expect(isSilent(cough)).toBe(true);
  expect(isSilent({ ...cough, noSpeechProbability: 0.2 })).toBe(false);
  expect(isSilent(written({ words: { tokens: [], logProbs: [] } }))).toBe(true);
});

it("[V5] a phrase that is probable only because it repeats is doubtful", () => {
  const tokens = [1, 2, 3, 1, 2, 3, 1, 2, 3];
  const repeats = [-0.1, -0.1, -0.1, -0.1, -0.1, -0.1, -0.1];
  const text = "It's a game, it's a game, it's a game";
  expect(isDoubtful(written({ tokens, logProbs: [-1.7, -2.3, -2.7, ...repeats] }), text)).toBe(true);
  expect(isDoubtful(written({ tokens, logProbs: [-0.4, -0.3, -0.2, ...repeats] }), text)).toBe(false);
});

it("[V5] speech that is played twice does not count as a loop", () => {
  const tokens = [1, 2, 3, 1, 2, 3];
  const repeats = [-0.01, -0.01, -0.01, -0.1];
  const transcript = written({ tokens, logProbs: [-0.1, -0.3, -0.1, ...repeats] });
  expect(isRepeatedForSure(transcript)).toBe(true);
  expect(isRepeatedForSure({ ...transcript, isBrokenOff: true })).toBe(false);
  expect(isRepeatedForSure(written({ tokens, logProbs: [-0.9, -1.3, -0.1, ...repeats] }))).toBe(false);
});
