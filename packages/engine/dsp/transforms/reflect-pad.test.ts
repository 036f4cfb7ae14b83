import { expect, it } from "vitest";
import { padByReflection } from "./reflect-pad.ts";

it("mirrors both ends without repeating them", () => {
  const padded = padByReflection(Float32Array.of(1, 2, 3, 4), { left: 3, right: 2 });
  expect([...padded]).toEqual([4, 3, 2, 1, 2, 3, 4, 3, 2]);
});

it("rejects padding longer than the signal", () => {
  expect(() => padByReflection(Float32Array.of(1, 2, 3), { left: 3, right: 0 })).toThrow(RangeError);
});
