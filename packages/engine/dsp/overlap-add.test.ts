import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeFadeIn, makeSegmentGrid, OverlapAdd, segmentSpan } from "./overlap-add.ts";

const grids = fc
  .record({
    segmentFrames: fc.integer({ min: 10, max: 400 }),
    overlapShare: fc.constantFrom(0, 0.1, 0.25, 0.4),
    lengthFrames: fc.integer({ min: 1, max: 3000 }),
  })
  .map(makeSegmentGrid);

describe("makeSegmentGrid", () => {
  it("covers every frame, and every segment has frames no other one has", () => {
    fc.assert(
      fc.property(grids, (grid) => {
        let coveredFrames = 0;
        for (let index = 0; index < grid.segmentCount; index++) {
          const span = segmentSpan(grid, index);
          expect(span.startFrame).toBeLessThanOrEqual(coveredFrames);
          const endFrame = span.startFrame + span.lengthFrames;
          expect(endFrame).toBeGreaterThan(coveredFrames);
          coveredFrames = endFrame;
        }
        expect(coveredFrames).toBe(grid.lengthFrames);
      }),
    );
  });

  it("uses no more segments than the minimum overlap needs, spread evenly", () => {
    fc.assert(
      fc.property(grids, ({ segmentFrames, strideFrames, lengthFrames, segmentCount, overlapFrames }) => {
        if (segmentCount < 2) return;
        if (segmentCount > 2) expect(overlapFrames).toBeLessThanOrEqual(strideFrames);
        const spare = (segmentCount - 1) * strideFrames + segmentFrames - lengthFrames;
        const isAtHalf = strideFrames === Math.ceil(segmentFrames / 2);
        expect(spare).toBeLessThan(isAtHalf ? segmentFrames / 2 : segmentCount - 1);
      }),
    );
    const thirtySeconds = { segmentFrames: 343_980, overlapShare: 0.05, lengthFrames: 1_323_000 };
    expect(makeSegmentGrid(thirtySeconds)).toMatchObject({ segmentCount: 4, strideFrames: 326_340 });
  });

  it("fills the network's windows with signal if the signal is at least a window long", () => {
    fc.assert(
      fc.property(grids, (grid) => {
        if (grid.lengthFrames < grid.segmentFrames) return;
        for (let index = 0; index < grid.segmentCount; index++) {
          const { windowStartFrame } = segmentSpan(grid, index);
          expect(windowStartFrame).toBeGreaterThanOrEqual(0);
          expect(windowStartFrame + grid.segmentFrames).toBeLessThanOrEqual(grid.lengthFrames);
        }
      }),
    );
  });

  it("centres a short signal in the network's window", () => {
    const grid = makeSegmentGrid({ segmentFrames: 100, overlapShare: 0.25, lengthFrames: 41 });
    expect(segmentSpan(grid, 0)).toEqual({
      startFrame: 0,
      lengthFrames: 41,
      windowStartFrame: -29,
      marginFrames: 29,
    });
  });

  it("has no segments for an empty signal", () => {
    expect(makeSegmentGrid({ segmentFrames: 100, overlapShare: 0.25, lengthFrames: 0 }).segmentCount).toBe(0);
  });
});

describe("OverlapAdd", () => {
  it("restores any signal from its own segments", () => {
    fc.assert(
      fc.property(grids, (grid) => {
        const signal = Float32Array.from({ length: grid.lengthFrames }, (_, n) => 1 + Math.sin(n));
        const joint = new OverlapAdd(grid, makeFadeIn(grid));
        const joined: number[] = [];
        for (let index = 0; index < grid.segmentCount; index++) {
          const { startFrame, lengthFrames } = segmentSpan(grid, index);
          joined.push(...joint.add(index, signal.subarray(startFrame, startFrame + lengthFrames)));
        }
        expect(joined.length).toBe(grid.lengthFrames);
        joined.forEach((value, n) => {
          expect(Math.abs(value - signal[n]!)).toBeLessThan(1e-6);
        });
      }),
    );
  });

  it("crossfades linearly between neighbours that overlap only by their edges", () => {
    const grid = makeSegmentGrid({ segmentFrames: 16, overlapShare: 0.125, lengthFrames: 30 });
    const joint = new OverlapAdd(grid, makeFadeIn(grid));
    joint.add(0, new Float32Array(16).fill(0));
    const [first, second, third] = joint.add(1, new Float32Array(16).fill(3));
    // Weights 2 and 1 of the earlier segment meet 1 and 2 of the later.
    expect([first, second, third]).toEqual([1, 2, 3]);
  });

  it("averages two segments where neither is near its end", () => {
    const grid = makeSegmentGrid({ segmentFrames: 16, overlapShare: 0.125, lengthFrames: 24 });
    const joint = new OverlapAdd(grid, makeFadeIn(grid));
    expect([...joint.add(0, new Float32Array(16).fill(0))]).toEqual(Array(8).fill(0));
    const overlap = [...joint.add(1, new Float32Array(16).fill(12))].slice(0, 8);
    // The later segment's weights are 1/3, 2/3, 1; the earlier one's are the reverse.
    expect(overlap.map((value) => Math.round(value * 1e4) / 1e4)).toEqual([3, 4.8, 6, 6, 6, 6, 7.2, 9]);
  });

  it("blends two segments over their whole overlap", () => {
    const grid = makeSegmentGrid({ segmentFrames: 100, overlapShare: 0.25, lengthFrames: 110 });
    expect(grid).toMatchObject({ segmentCount: 2, strideFrames: 10, overlapFrames: 90 });
  });
});
