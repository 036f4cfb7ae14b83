import { expect, it } from "vitest";
import { ArraySource } from "./array-source.ts";
import { fromLevel, LevelledSource, levelOfSilence, measureLevels } from "./levelled-source.ts";

const source = new ArraySource(
  [Float32Array.of(1, 3, 5, 7), Float32Array.of(3, 5, 7, 9), Float32Array.of(2, 2, 2, 2)],
  44_100,
);
const GROUPS = [[0, 1], [2]] as const;

it("levels a pair of channels by its mean, with the population's deviation or the sample's", () => {
  expect(measureLevels(source, GROUPS, "population")).toEqual([
    { mean: 5, deviation: Math.sqrt(5) },
    { mean: 2, deviation: 1 },
  ]);
  const [pair] = measureLevels(source, GROUPS, "sample");
  expect(pair?.deviation).toBeCloseTo(Math.sqrt(20 / 3), 7);
});

it("shows levelled frames, and silence beyond them; what comes back is undone", () => {
  const levels = measureLevels(source, GROUPS, "population");
  const levelled = new LevelledSource(source, GROUPS, levels);
  const [left = new Float32Array()] = levelled.read(-1, 6);
  expect([left[0], left[5]]).toEqual([0, 0]);
  expect(levelOfSilence({ mean: 5, deviation: 2 })).toBe(-2.5);
  const back = fromLevel(left.subarray(1, 5), { mean: 5, deviation: Math.sqrt(5) });
  back.forEach((value, n) => {
    expect(value).toBeCloseTo([1, 3, 5, 7][n] ?? Number.NaN, 5);
  });
});
