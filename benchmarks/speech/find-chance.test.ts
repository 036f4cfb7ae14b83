import { expect, it } from "vitest";
import { findChance } from "./find-chance.ts";

it("counts the choices of signs that give a sum as far from zero", () => {
  expect(findChance([])).toBe(1);
  expect(findChance([3, 0, 0])).toBe(1);
  expect(findChance([1, 1, 1])).toBe(0.25);
  // Of 8 sums, 6 and −6 are as far from zero as 6.
  expect(findChance([3, 2, 1])).toBe(0.25);
  expect(findChance([3, -2, -1])).toBe(1);
  expect(findChance(Array.from({ length: 100 }, () => 1))).toBeLessThan(1e-20);
});
