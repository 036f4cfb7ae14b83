import { expect, it } from "vitest";
import { findLeaks, findStrayTurns } from "./find-leaks.ts";
import { toStep } from "./spoken-steps.ts";

const RATE_HZ = 1000;
const span = (who: string, startSeconds: number, endSeconds: number) => ({ who, startSeconds, endSeconds });
const truth = [span("anna", 0, 10), span("ben", 10, 20), span("anna", 20, 24)];
/** 24 s of audio, audible between the given seconds. */
const makePlane = (...spans: [number, number][]) =>
  Float32Array.from({ length: 24 * RATE_HZ }, (_, n) =>
    Number(spans.some(([from, to]) => n >= from * RATE_HZ && n < to * RATE_HZ)),
  );

it("nothing leaks if everybody is in one file", () => {
  const found = [span("voice_01", 0, 10), span("voice_02", 10, 20), span("voice_01", 20, 24)];
  const planes = [makePlane([0, 10], [20, 24]), makePlane([10, 20])];
  expect(findLeaks(truth, found, { planes, sampleRateHz: RATE_HZ })).toEqual({
    turns: 3,
    strayTurns: 0,
    leakedShare: 0,
  });
});

it("counts turns in the wrong file, and the time a file is audible while its speaker is silent", () => {
  const found = [span("voice_01", 0, 10), span("voice_02", 10, 24)];
  const planes = [makePlane([0, 10]), makePlane([10, 24])];
  const { turns, strayTurns, leakedShare } = findLeaks(truth, found, { planes, sampleRateHz: RATE_HZ });
  expect({ turns, strayTurns }).toEqual({ turns: 3, strayTurns: 1 });
  // Ben's file has Anna's last four seconds of the 23 in which its speaker, or the first file's, is silent.
  expect(leakedShare).toBeCloseTo(3.75 / 23, 1);
});

it("a turn is not in the wrong file because somebody else speaks during most of it", () => {
  const both = [span("anna", 0, 10), span("ben", 8, 11)];
  const found = [span("voice_01", 0, 10), span("voice_02", 10, 11)];
  expect(findStrayTurns(both, found, toStep(11))).toEqual({ turns: 2, strayTurns: 0 });
});
