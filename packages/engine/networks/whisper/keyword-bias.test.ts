import { describe, expect, it } from "vitest";
import { KeywordBias } from "./keyword-bias.ts";

const NAME = [10, 11, 12];
const OTHER = [10, 20];

describe("[V10] keywords", () => {
  it("are boosted at any point, and continued once begun", () => {
    const track = new KeywordBias([NAME, OTHER, [30]]).start();
    const atStart = track.boosts;
    expect([...atStart.keys()]).toEqual([10, 30]);
    track.push(10);
    expect([...track.boosts.keys()].toSorted((a, b) => a - b)).toEqual([10, 11, 20, 30]);
    expect(track.boosts.get(11)).toBeGreaterThan(atStart.get(10) ?? 0);
    track.push(11);
    expect([...track.boosts.keys()].toSorted((a, b) => a - b)).toEqual([10, 12, 30]);
    track.push(12);
    expect(track.boosts).toEqual(atStart);
  });

  it("are dropped when the text continues differently", () => {
    const track = new KeywordBias([NAME]).start();
    track.push(10);
    track.push(99);
    expect([...track.boosts.keys()]).toEqual([10]);
  });
});
