import { describe, expect, it } from "vitest";
import { correctDrift } from "./picture-drift.ts";

/** Video whose clock runs at `speed`, checked ten times a second. */
function follow(start: number, speed: number, seconds: number): number {
  let picture = start;
  for (let sound = 0; sound < seconds; sound += 0.1) {
    const { seekSeconds, playbackRate } = correctDrift(picture, sound);
    picture = (seekSeconds ?? picture) + 0.1 * speed * playbackRate;
  }
  return picture - seconds;
}

describe("[PV11] video drift", () => {
  it("is ignored within a frame", () => {
    expect(correctDrift(10.01, 10)).toEqual({ playbackRate: 1 });
  });

  it("is corrected by playing slower or faster", () => {
    expect(correctDrift(10.05, 10).playbackRate).toBeCloseTo(0.95);
    expect(correctDrift(9.8, 10)).toEqual({ playbackRate: 1.08 });
  });

  it("is corrected by a jump after a seek", () => {
    expect(correctDrift(3, 70)).toEqual({ seekSeconds: 70, playbackRate: 1 });
  });

  it.each([
    [0.25, 1],
    [-0.25, 1],
    [5, 1],
    [0, 1.01],
    [0, 0.99],
  ])("ends within two frames of film from %d s off, with a clock that runs at %d", (start, speed) => {
    expect(Math.abs(follow(start, speed, 60))).toBeLessThan(0.08);
  });
});
