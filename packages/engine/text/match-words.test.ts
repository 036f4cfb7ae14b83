import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeSeededRandom } from "../dsp/seeded-random.ts";
import { findCommonRuns } from "./match-words.ts";

const words = fc.array(fc.constantFrom("la", "di", "da", "so", "far", "away", "home"), { maxLength: 60 });

describe("findCommonRuns", () => {
  it("[Z2] finds runs common to both texts, in the order of both", () => {
    fc.assert(
      fc.property(words, words, (first, second) => {
        let [firstEnd, secondEnd] = [0, 0];
        for (const run of findCommonRuns(first, second)) {
          expect(run.first).toBeGreaterThanOrEqual(firstEnd);
          expect(run.second).toBeGreaterThanOrEqual(secondEnd);
          expect(run.length).toBeGreaterThan(0);
          const row = first.slice(run.first, run.first + run.length);
          expect(second.slice(run.second, run.second + run.length)).toEqual(row);
          firstEnd = run.first + run.length;
          secondEnd = run.second + run.length;
        }
      }),
    );
  });

  it("[Z2] finds a text in itself, and around deletions and insertions", () => {
    fc.assert(
      fc.property(words, (text) => {
        const expected = text.length === 0 ? [] : [{ first: 0, second: 0, length: text.length }];
        expect(findCommonRuns(text, text)).toEqual(expected);
      }),
    );
    const [first, second] = ["we walked along the old river home", "we walked quickly along the river home"];
    expect(findCommonRuns(first.split(" "), second.split(" "))).toEqual([
      { first: 0, second: 0, length: 2 },
      { first: 2, second: 3, length: 2 },
      { first: 5, second: 5, length: 2 },
    ]);
  });

  it("[Z2] does not choose between two equally good places", () => {
    const recognised = "we meet again my friend";
    const text = "we meet again oh we meet again and my friend";
    expect(findCommonRuns(text.split(" "), recognised.split(" "))).toEqual([
      { first: 8, second: 3, length: 2 },
    ]);
  });

  it("[Z2] matches an hour of recurring lines with one word in sixteen misrecognised", () => {
    const random = makeSeededRandom(3);
    const verse = Array.from({ length: 700 }, () => `w${Math.floor(300 * random())}`);
    const text = Array.from({ length: 13 }, () => verse).flat();
    const recognised = text.map((word) => (random() < 1 / 16 ? `${word}x` : word));
    const same = text.filter((word, n) => word === recognised[n]).length;
    const inPlace = findCommonRuns(text, recognised).filter((run) => run.first === run.second);
    expect(inPlace.reduce((sum, run) => sum + run.length, 0)).toBeGreaterThan(0.99 * same);
    expect(findCommonRuns(text, text.toReversed())).toEqual([]);
  });

  it("[Z2] compares 20,000 words with 10,000 in bounded time and memory", () => {
    const text = Array.from({ length: 20_000 }, (_, n) => `w${(Math.imul(n * n, 2654435761) >>> 0) % 3000}`);
    const recognised = text.slice(5000, 15_000).filter((_, n) => n % 10 !== 0);
    const startedAt = performance.now();
    const runs = findCommonRuns(text, recognised);
    expect(runs.reduce((sum, run) => sum + run.length, 0)).toBe(recognised.length);
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });
});
