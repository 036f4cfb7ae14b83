import { describe, expect, it } from "vitest";
import { DecodeTimes } from "./decode-times.ts";

function listDecodeTimes(pts: number[]): number[] {
  const times = new DecodeTimes(pts, 40);
  return pts.map((value) => times.take(value));
}

describe("DecodeTimes", () => {
  it("equal the display times if nothing is reordered", () => {
    expect(listDecodeTimes([0, 40, 80, 120])).toEqual([0, 40, 80, 120]);
  });

  it("increase steadily and are never after the display time if frames are reordered", () => {
    // Frames 0 3 1 2 6 4 5, as an encoder with two B-frames stores them.
    expect(listDecodeTimes([0, 120, 40, 80, 240, 160, 200])).toEqual([-40, 0, 40, 80, 120, 160, 200]);
  });

  it("follow a pyramid of B-frames", () => {
    expect(listDecodeTimes([0, 160, 80, 40, 120])).toEqual([-80, -40, 0, 40, 80]);
  });
});
