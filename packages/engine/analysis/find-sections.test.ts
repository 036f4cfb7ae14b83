import { expect, it } from "vitest";
import { findSections, type SectionUnit } from "./find-sections.ts";

/** Bars of two seconds, each with the vector of its letter and a small difference. */
const makeUnits = (letters: string): SectionUnit[] =>
  [...letters].map((letter, n) => {
    const vector = new Float32Array(8);
    vector[letter.charCodeAt(0) - 97] = 1;
    vector[7] = 0.1 * Math.sin(n);
    return { start: 2 * n, end: 2 * n + 2, vector };
  });

const verse = "abababab";
const chorus = "cdcdcdcd";

it("[MA6] sections end where the music changes, and those alike have the same letter", () => {
  const sections = findSections(makeUnits(verse + chorus + verse + chorus));
  expect(sections).toEqual([
    { start: 0, end: 16, label: "A" },
    { start: 16, end: 32, label: "B" },
    { start: 32, end: 48, label: "A" },
    { start: 48, end: 64, label: "B" },
  ]);
});

it("[MA6] music that stays as it is has one section, and no music none", () => {
  expect(findSections(makeUnits("a".repeat(40)))).toEqual([{ start: 0, end: 80, label: "A" }]);
  expect(findSections([])).toEqual([]);
});
