import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costOfDuration, sumCredits } from "./credit-amounts.ts";
import { estimateCosts, findCost } from "./target-costs.ts";

type Priced = { id: string; model: string; creditsPerMinute: number; cost?: number };

const rate = fc.integer({ min: 0, max: 20_000_000 }).map((micros) => micros / 1_000_000);
const seconds = fc.double({ min: 0.001, max: 10_800, noNaN: true });
const models = fc.array(fc.constantFrom("transcription", "alignment", "vocals"), {
  minLength: 1,
  maxLength: 20,
});
const task = fc.tuple(models, rate, rate, rate).map(([names, ...rates]) =>
  names.map((model, index) => ({
    id: String(index),
    model,
    creditsPerMinute: rates[["transcription", "alignment", "vocals"].indexOf(model)] ?? 0,
  })),
);

/** Completes the targets in the given order. */
function complete(targets: readonly Priced[], order: readonly Priced[], durationSeconds: number): number[] {
  const charged = targets.map((target) => ({ ...target }));
  for (const { id } of order) {
    const target = charged.find((candidate) => candidate.id === id);
    if (target) target.cost = findCost(charged, target, durationSeconds);
  }
  return charged.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
}

const pair = [
  { id: "t", model: "transcription", creditsPerMinute: 1 },
  { id: "a", model: "alignment", creditsPerMinute: 1 },
];

describe("costs of targets", () => {
  it("[C2] transcription and alignment together cost 1.5 per minute; the later one is charged the rest", () => {
    expect(complete(pair, pair, 61)).toEqual([2, 1]);
    expect(complete(pair, pair.toReversed(), 61)).toEqual([1, 2]);
    expect(complete(pair, pair.slice(0, 1), 61)).toEqual([2]);
    expect(estimateCosts(pair, 61)).toEqual([2, 1]);
  });

  it("[C2] the sum is the same in whatever order they complete, at any rates", () => {
    fc.assert(
      fc.property(task, seconds, fc.infiniteStream(fc.nat()), (targets, durationSeconds, keys) => {
        const order = targets
          .map((target) => ({ target, key: keys.next().value }))
          .sort((one, other) => one.key - other.key)
          .map(({ target }) => target);
        expect(sumCredits(complete(targets, order, durationSeconds))).toBe(
          sumCredits(estimateCosts(targets, durationSeconds)),
        );
      }),
    );
  });

  it("[C2] a pair costs three quarters of its two rates, to the millionth; nothing is negative or above its own price", () => {
    fc.assert(
      fc.property(rate, rate, seconds, (transcription, alignment, durationSeconds) => {
        const targets = [
          { id: "t", model: "transcription", creditsPerMinute: transcription },
          { id: "a", model: "alignment", creditsPerMinute: alignment },
        ];
        const costs = estimateCosts(targets, durationSeconds);
        const micros = Math.round((Math.round(transcription * 1e6) + Math.round(alignment * 1e6)) * 0.75);
        expect(sumCredits(costs)).toBe(costOfDuration(micros / 1e6, durationSeconds));
        for (const [index, cost] of costs.entries()) {
          expect(cost).toBeGreaterThanOrEqual(0);
          expect(cost).toBeLessThanOrEqual(
            costOfDuration(targets[index]?.creditsPerMinute ?? 0, durationSeconds),
          );
        }
      }),
    );
  });

  it("[C2] a failed target is nobody's partner, whenever it fails", () => {
    const failing = { id: "a0", model: "alignment", creditsPerMinute: 1 };
    const failed = { ...failing, hasFailed: true };
    expect(complete([failed, ...pair], pair, 60)).toEqual([1, 0.5]);
    expect(complete([failed, ...pair], pair.toReversed(), 60)).toEqual([0.5, 1]);
    // It fails last: nobody had waited for it.
    expect(complete([failing, ...pair], pair, 60)).toEqual([1, 0.5]);
  });

  it("[C2] each transcription pairs with one alignment; a target without a partner costs its own rate", () => {
    const two = [...pair, { id: "t2", model: "transcription", creditsPerMinute: 1 }];
    expect(estimateCosts(two, 60)).toEqual([1, 0.5, 1]);
    expect(estimateCosts([...two, { id: "a2", model: "alignment", creditsPerMinute: 1 }], 60)).toEqual([
      1, 0.5, 1, 0.5,
    ]);
  });
});
