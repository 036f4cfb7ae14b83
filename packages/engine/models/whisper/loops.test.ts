import { describe, expect, it } from "vitest";
import { compressionRatio, endsInLoop } from "./loops.ts";

const repeat = (phrase: number[], times: number) => Array.from({ length: times }, () => phrase).flat();

describe("[V5] a decoder that goes round in circles", () => {
  it("is noticed by its tokens", () => {
    expect(endsInLoop(repeat([1, 2, 3, 4, 5], 6))).toBe(true);
    expect(endsInLoop([9, 8, 7, ...repeat([1], 24)])).toBe(true);
    expect(endsInLoop(repeat([1, 2, 3, 4, 5], 5))).toBe(false);
    expect(endsInLoop([...repeat([1], 24), 2])).toBe(false);
    expect(endsInLoop(repeat([1], 8))).toBe(false);
  });

  it("is noticed by its text", () => {
    expect(compressionRatio("Thank you. ".repeat(20))).toBeGreaterThan(2.4);
    expect(
      compressionRatio("Seven ships sailed across the northern sea before the winter came."),
    ).toBeLessThan(2.4);
    expect(compressionRatio("")).toBe(0);
  });
});
