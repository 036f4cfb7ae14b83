import { describe, expect, it } from "vitest";
import { findNeighbour, type Lane, listWithin, toBlocks } from "./lane.ts";

const words = Array.from({ length: 100 }, (_, n) => ({ start: n, end: n + 0.8, text: `word ${n}` }));
const lines = Array.from({ length: 10 }, (_, n) => ({ start: 10 * n, end: 10 * n + 9.8, text: `line ${n}` }));
const lane: Lane = { id: "a", title: "Words", kind: "words", items: words, groups: lines };

describe("[PV11] a lane of the timeline", () => {
  it("shows words if they are readable, and lines otherwise", () => {
    expect(toBlocks(lane, { start: 20.5, end: 30 }, 1000).map(({ text }) => text)).toEqual(
      Array.from({ length: 10 }, (_, n) => `word ${20 + n}`),
    );
    expect(toBlocks(lane, { start: 0, end: 100 }, 1000).map(({ text }) => text)).toEqual(
      lines.map(({ text }) => text),
    );
  });

  it("draws three hours of lines as a few blocks without text, separate for each speaker", () => {
    const many = Array.from({ length: 9000 }, (_, n) => ({
      start: 1.2 * n,
      end: 1.2 * n + 1.1,
      text: "line",
      hue: n < 4500 ? 1 : 2,
    }));
    const blocks = toBlocks({ ...lane, items: many, groups: many }, { start: 0, end: 10_800 }, 1000);
    expect(blocks).toEqual([
      { start: 0, end: expect.closeTo(1.2 * 4499 + 1.1), text: "", hue: 1 },
      { start: expect.closeTo(1.2 * 4500), end: expect.closeTo(1.2 * 8999 + 1.1), text: "", hue: 2 },
    ]);
  });

  it("includes items that start before the view and continue in it", () => {
    expect(listWithin(lines, { start: 15, end: 16 })).toEqual([lines[1]]);
    expect(listWithin(lines, { start: 9.85, end: 9.95 })).toEqual([]);
  });

  it("steps from item to item, first back to the start of the current one", () => {
    expect(findNeighbour(lines, 15, 1)).toBe(20);
    expect(findNeighbour(lines, 15, -1)).toBe(10);
    expect(findNeighbour(lines, 10.1, -1)).toBe(0);
    expect(findNeighbour(lines, 95, 1)).toBeUndefined();
    expect(findNeighbour(lines, 0.2, -1)).toBeUndefined();
  });
});
