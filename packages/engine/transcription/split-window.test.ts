import { expect, it } from "vitest";
import { makeWindow } from "./speech-windows.ts";
import { splitWindow } from "./split-window.ts";

const RATE = 16_000;
/** Three seconds from 10 s of the recording, seven from 60 s. */
const window = makeWindow([
  { sourceFrame: 10 * RATE, lengthFrames: 3 * RATE },
  { sourceFrame: 60 * RATE, lengthFrames: 7 * RATE },
]);
const speakExcept = (from: number, to: number) =>
  Float32Array.from({ length: 10 * RATE }, (_, frame) =>
    frame >= from * RATE && frame < to * RATE ? 0.001 : Math.sin(frame),
  );

it("[V5] a window is cut at the quietest moment of its middle half", () => {
  const [first, second] = splitWindow(window, speakExcept(6, 6.2));
  expect(first?.lengthFrames).toBeCloseTo(6.1 * RATE, -3);
  expect(first?.pieces.map(({ sourceFrame }) => sourceFrame)).toEqual([10 * RATE, 60 * RATE]);
  expect(second?.pieces).toEqual([
    {
      sourceFrame: 63 * RATE + ((first?.lengthFrames ?? 0) - 6 * RATE),
      windowFrame: 0,
      lengthFrames: 10 * RATE - (first?.lengthFrames ?? 0),
    },
  ]);
});

it("[V5] quieter moments near its ends do not count, and a cut between two pieces divides neither", () => {
  const sound = speakExcept(2.9, 3.1)
    .fill(0, 0, RATE)
    .fill(0, 9 * RATE);
  const [first, second] = splitWindow(window, sound);
  expect(first?.lengthFrames).toBe(3 * RATE);
  expect(first?.pieces).toHaveLength(1);
  expect(second?.pieces).toEqual([{ sourceFrame: 60 * RATE, windowFrame: 0, lengthFrames: 7 * RATE }]);
});
