import { describe, expect, it } from "vitest";
import { costOfDuration, sumCredits } from "./credits.ts";

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
});
