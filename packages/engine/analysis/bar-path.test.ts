import { describe, expect, it } from "vitest";
import { type BeatEvidence, findBars, METRE_COUNT } from "./bar-path.ts";

const unknownMetre = new Float32Array(METRE_COUNT).fill(Math.log(1 / METRE_COUNT));
const sureOf = (metre: number) =>
  unknownMetre.map((_, index) => Math.log(index === metre ? 0.9 : 0.1 / (METRE_COUNT - 1)));

const makeBeats = (places: readonly number[], metres = unknownMetre): BeatEvidence[] =>
  places.map((place) => ({ downbeat: place === 1 ? 2 : -3, metres }));
const repeat = (bar: readonly number[], times: number) => Array.from({ length: times }, () => bar).flat();

describe("bars", () => {
  it.each([
    ["3/4", [1, 2, 3]],
    ["4/4", [1, 2, 3, 4]],
    ["5/4", [1, 2, 3, 4, 5]],
  ])("[MA2] of %s are found by their downbeats", (signature, bar) => {
    const places = repeat(bar, 12);
    const found = findBars(makeBeats(places));
    expect(found.timeSignature).toBe(signature);
    expect(found.places.map(({ beat }) => beat)).toEqual(places);
    expect(found.places.at(-1)?.bar).toBe(12);
  });

  it("[MA2] are counted from the first downbeat; a pickup is bar 0", () => {
    const { places } = findBars(makeBeats([3, 4, ...repeat([1, 2, 3, 4], 8)]));
    expect(places.slice(0, 3)).toEqual([
      { beat: 3, bar: 0 },
      { beat: 4, bar: 0 },
      { beat: 1, bar: 1 },
    ]);
  });

  it("[MA2] of two beats are 6/8 where beats are in three", () => {
    const places = repeat([1, 2], 16);
    expect(findBars(makeBeats(places, sureOf(6))).timeSignature).toBe("6/8");
    expect(findBars(makeBeats(places, sureOf(1))).timeSignature).toBe("2/4");
  });

  it("[MA2] may change their metre, and be cut short", () => {
    const change = [...repeat([1, 2, 3, 4], 10), ...repeat([1, 2, 3], 10)];
    expect(findBars(makeBeats(change)).places.map(({ beat }) => beat)).toEqual(change);
    const cut = [...repeat([1, 2, 3, 4], 6), 1, 2, ...repeat([1, 2, 3, 4], 6)];
    expect(findBars(makeBeats(cut)).places.map(({ beat }) => beat)).toEqual(cut);
  });
});
