import { expect, it } from "vitest";
import { joinPeaks, measurePeaks } from "./peaks.ts";

it("returns the lowest and highest sample of each block over all channels, also of a short last one", () => {
  const left = Float32Array.from([0.5, -0.25, 0, 0, 1.5]);
  const right = Float32Array.from([0, -1, 0.25, 0, 0]);
  expect([...measurePeaks([left, right], 2)]).toEqual([-128, 64, 0, 32, 0, 127]);
});

it("joining blocks equals measuring longer ones", () => {
  const plane = Float32Array.from({ length: 1000 }, (_, n) => Math.sin(n * n));
  expect(joinPeaks(measurePeaks([plane], 8), 4)).toEqual(measurePeaks([plane], 32));
});
