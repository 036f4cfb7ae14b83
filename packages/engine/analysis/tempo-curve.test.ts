import { expect, it } from "vitest";
import { findTempo, toGlobalBpm } from "./tempo-curve.ts";

const count = (start: number, beats: number, bpm: number) =>
  Array.from({ length: beats }, (_, n) => start + (n * 60) / bpm);

it("[MA3] tempo has a part for each tempo, and the global one is that of most of the time", () => {
  const parts = findTempo([...count(1, 60, 120), ...count(31, 31, 90)]);
  expect(parts.map(({ bpm }) => Math.round(bpm))).toEqual([120, 90]);
  expect(parts[0]?.end).toBeCloseTo(31, -0.5);
  expect(toGlobalBpm(parts)).toBeCloseTo(120, 0);
});

it("[MA3] a pause divides two parts of the same tempo", () => {
  const parts = findTempo([...count(0, 20, 100), ...count(40, 20, 100)]);
  expect(parts).toHaveLength(2);
  expect(toGlobalBpm(parts)).toBe(100);
});

it("[MA3] without beats there is none", () => {
  expect(findTempo([])).toEqual([]);
  expect(toGlobalBpm([])).toBeNull();
});
