import { describe, expect, it } from "vitest";
import { findChords } from "./find-chords.ts";
import { findKeys } from "./find-keys.ts";
import { spellKey, spellNote } from "./key-names.ts";

/** Log-probabilities with one likely column a step. */
const makeRows = (width: number, columns: readonly number[], share = 0.8) =>
  Float32Array.from(
    columns.flatMap((column) =>
      Array.from({ length: width }, (_, n) => Math.log(n === column ? share : (1 - share) / (width - 1))),
    ),
  );
const repeat = (value: number, times: number) => Array.from({ length: times }, () => value);

describe("chords", () => {
  const steps = [...repeat(0, 20), ...repeat(7, 20), ...repeat(21, 20), ...repeat(24, 10)];
  const rows = {
    chords: makeRows(25, steps),
    qualities: makeRows(9, [...repeat(0, 20), ...repeat(2, 20), ...repeat(4, 20), ...repeat(0, 10)]),
    basses: makeRows(13, [...repeat(4, 20), ...repeat(7, 20), ...repeat(9, 20), ...repeat(12, 10)]),
  };
  const noBeats = new Uint8Array(steps.length);

  it("[MA4] have root, quality and bass; none is told apart", () => {
    expect(findChords(rows, noBeats)).toEqual([
      { firstStep: 0, endStep: 20, root: 0, quality: "maj", bass: "3" },
      { firstStep: 20, endStep: 40, root: 7, quality: "7" },
      { firstStep: 40, endStep: 60, root: 9, quality: "min7" },
      { firstStep: 60, endStep: 70, quality: "" },
    ]);
  });

  it("[MA4] do not follow a doubt of one step", () => {
    const doubt = { ...rows, chords: makeRows(25, steps.with(10, 4)) };
    expect(findChords(doubt, noBeats)).toHaveLength(4);
  });
});

describe("keys", () => {
  it("[MA5] change where another is likelier for long, and are as sure as the network", () => {
    const keys = [...repeat(2, 300), ...repeat(21, 300)];
    const parts = findKeys(makeRows(24, keys), new Uint8Array(600).fill(1));
    expect(parts.map(({ key, endStep }) => [key, endStep])).toEqual([
      [2, 300],
      [21, 600],
    ]);
    expect(parts[0]?.confidence).toBeCloseTo(0.8);
    const brief = [...repeat(2, 300), ...repeat(21, 10), ...repeat(2, 300)];
    expect(findKeys(makeRows(24, brief), new Uint8Array(610).fill(1))).toHaveLength(1);
  });

  it("[MA5] are spelled as musicians do", () => {
    expect([0, 3, 6, 10, 12, 16, 17].map(spellKey)).toEqual([
      "C major",
      "Eb major",
      "F# major",
      "Bb major",
      "C minor",
      "E minor",
      "F minor",
    ]);
    expect([spellNote(10, 5), spellNote(6, 7), spellNote(3, undefined)]).toEqual(["Bb", "F#", "D#"]);
  });
});
