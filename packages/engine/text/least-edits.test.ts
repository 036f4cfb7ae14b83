import fc from "fast-check";
import { expect, it } from "vitest";
import { findKeptWords } from "./least-edits.ts";

const words = fc.array(fc.constantFrom("la", "di", "da", "so"), { maxLength: 30 });

/** The length of the longest common subsequence, by dynamic programming. */
function countCommon(first: readonly string[], second: readonly string[]): number {
  let row = second.map(() => 0);
  for (const word of first) {
    let [best, before] = [0, 0];
    row = row.map((above, n) => {
      best = Math.max(above, best, word === second[n] ? before + 1 : 0);
      before = above;
      return best;
    });
  }
  return row.at(-1) ?? 0;
}

it("[Z2] keeps a longest common subsequence of both texts", () => {
  fc.assert(
    fc.property(words, words, (first, second) => {
      const kept = findKeptWords(first, second, 60) ?? [];
      expect(kept).toHaveLength(countCommon(first, second));
      kept.forEach((place, n) => {
        expect(first[place.first]).toBe(second[place.second]);
        expect(place.first).toBeGreaterThan(kept[n - 1]?.first ?? -1);
        expect(place.second).toBeGreaterThan(kept[n - 1]?.second ?? -1);
      });
    }),
  );
});

it("[Z2] gives up if texts differ by more than the maximum number of words", () => {
  expect(findKeptWords(["la", "di"], ["da", "so"], 3)).toBeUndefined();
  expect(findKeptWords(["la", "di"], ["da", "so"], 4)).toEqual([]);
});
