import { describe, expect, it } from "vitest";
import { costOfDuration, makeCreditsError, sumCredits } from "./credit-amounts.ts";

describe("credits", () => {
  it.each([
    { rate: 1, seconds: 9.5, cost: 1 },
    { rate: 1, seconds: 200.5, cost: 4 },
    { rate: 1.5, seconds: 9.5, cost: 1.5 },
    { rate: 1, seconds: 60, cost: 1 },
    { rate: 1, seconds: 60.0001, cost: 2 },
    { rate: 0.1, seconds: 179, cost: 0.3 },
  ])("[C1] $seconds s at $rate a minute cost $cost", ({ rate, seconds, cost }) => {
    expect(costOfDuration(rate, seconds)).toBe(cost);
  });

  it("[C1] sums are exact decimals", () => {
    expect(sumCredits([0.1, 0.2])).toBe(0.3);
    expect(sumCredits(Array.from({ length: 1000 }, () => 0.1))).toBe(100);
  });

  it.each([
    [1, 0, "This takes 1 credit and 0 are left; ask the operator for more"],
    [1.5, 1, "This takes 1.5 credits and 1 is left; ask the operator for more"],
  ])("[B2] too few are told in good English: %d of %d", (needed, available, message) => {
    expect(makeCreditsError(needed, available).message).toBe(message);
  });
});
