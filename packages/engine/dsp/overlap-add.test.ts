import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Chunking,
  countFinalSegments,
  finalFrames,
  firstJoinedSegment,
  makeSegmentGains,
  makeSegmentGrid,
  OverlapAdd,
  SegmentGains,
  type SegmentGrid,
  segmentSpan,
} from "./overlap-add.ts";
import { findReadRange, readSegment } from "./read-segment.ts";
import { ArraySource } from "./sources/array-source.ts";

const even = (overlapShare: number): Chunking => ({ convention: "even", overlapShare });
const msst = (overlapCount: number): Chunking => ({ convention: "msst", overlapCount });
const demucs = (overlapShare: number): Chunking => ({ convention: "demucs", overlapShare });

const mean = (overlapCount: number): Chunking => ({ convention: "mean", overlapCount });
const mdxNet = (trimFrames: number): Chunking => ({ convention: "mdx-net", trimFrames });
const anyLength: Chunking = { convention: "demucs", overlapShare: 0.25, takesAnyLength: true };

const covering = (...chunkings: Chunking[]) =>
  fc
    .record({
      segmentFrames: fc.integer({ min: 20, max: 400 }),
      chunking: fc.constantFrom(...chunkings),
      lengthFrames: fc.integer({ min: 1, max: 3000 }),
    })
    .map(makeSegmentGrid);
const grids = covering(even(0), even(0.1), even(0.25), even(0.4));
const allGrids = covering(
  ...[even(0), even(0.1), even(0.4), msst(1), msst(2), msst(3), msst(4), msst(7)],
  ...[demucs(0), demucs(0.25), demucs(0.6), demucs(0.9), anyLength],
  ...[mean(1), mean(4), mdxNet(3), mdxNet(8)],
);

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
      fc.property(grids, ({ segmentFrames, strideFrames, lengthFrames, segmentCount }) => {
        if (segmentCount < 2) return;
        if (segmentCount > 2) expect(segmentFrames - strideFrames).toBeLessThanOrEqual(strideFrames);
        const spare = (segmentCount - 1) * strideFrames + segmentFrames - lengthFrames;
        const isAtHalf = strideFrames === Math.ceil(segmentFrames / 2);
        expect(spare).toBeLessThan(isAtHalf ? segmentFrames / 2 : segmentCount - 1);
      }),
    );
    const thirtySeconds = { segmentFrames: 343_980, chunking: even(0.05), lengthFrames: 1_323_000 };
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
    const grid = makeSegmentGrid({ segmentFrames: 100, chunking: even(0.25), lengthFrames: 41 });
    expect(segmentSpan(grid, 0)).toEqual({
      startFrame: 0,
      lengthFrames: 41,
      windowStartFrame: -29,
      marginFrames: 29,
    });
  });

  it("has no segments for an empty signal", () => {
    expect(makeSegmentGrid({ segmentFrames: 100, chunking: even(0.25), lengthFrames: 0 }).segmentCount).toBe(
      0,
    );
  });
});

describe("all conventions", () => {
  const join = (grid: SegmentGrid, segmentOf: (index: number) => Float32Array, from = 0) => {
    const joint = new OverlapAdd(new SegmentGains(grid));
    return Array.from({ length: grid.segmentCount - from }, (_, n) =>
      joint.add(from + n, segmentOf(from + n)),
    );
  };
  /** Different at each frame of each segment, as of a network that makes errors. */
  const makeSegment = (grid: SegmentGrid) => (index: number) =>
    Float32Array.from({ length: segmentSpan(grid, index).lengthFrames }, (_, n) =>
      Math.sin(37 * index + n * n),
    );

  it("joins every frame once, and the next segment starts where frames are not final", () => {
    fc.assert(
      fc.property(allGrids, (grid) => {
        const chunks = join(grid, makeSegment(grid));
        let joined = 0;
        chunks.forEach((chunk, index) => {
          expect(joined).toBe(finalFrames(grid, index));
          expect(joined).toBe(segmentSpan(grid, index).startFrame);
          joined += chunk.length;
        });
        expect(joined).toBe(grid.lengthFrames);
      }),
    );
  });

  it("returns the same samples when joining starts again at any segment", () => {
    fc.assert(
      fc.property(allGrids, fc.nat(), (grid, cut) => {
        const segments = cut % grid.segmentCount;
        const first = firstJoinedSegment(grid, segments);
        const all = join(grid, makeSegment(grid)).slice(segments);
        const again = join(grid, makeSegment(grid), first).slice(segments - first);
        expect(again).toEqual(all);
      }),
    );
  });

  it("counts the segments of a spool: no more than its frames, and the next one has more", () => {
    fc.assert(
      fc.property(allGrids, fc.nat(), (grid, cut) => {
        const frames = cut % (grid.lengthFrames + 1);
        const segments = countFinalSegments(grid, frames);
        expect(finalFrames(grid, segments)).toBeLessThanOrEqual(frames);
        if (segments < grid.segmentCount)
          expect(finalFrames(grid, segments + 1)).toBeGreaterThan(Math.min(frames, grid.lengthFrames - 1));
      }),
    );
  });

  it("weighs the segments of a frame to a sum of 1, or to 0 where the convention gives none", () => {
    fc.assert(
      fc.property(allGrids, (grid) => {
        const sums = new Float64Array(grid.lengthFrames);
        for (let index = 0; index < grid.segmentCount; index++) {
          const { startFrame } = segmentSpan(grid, index);
          makeSegmentGains(grid, index).forEach((gain, n) => {
            sums[startFrame + n]! += gain;
          });
        }
        const isWhole = (sum: number) => Math.abs(sum - 1) < 1e-9;
        if (grid.convention === "msst") expect(sums.every((sum) => sum === 0 || isWhole(sum))).toBe(true);
        else expect(sums.every(isWhole)).toBe(true);
      }),
    );
  });

  it("reads no frame outside the range it names, and shows the segment's own frames in their place", () => {
    fc.assert(
      fc.property(allGrids, (grid) => {
        const signal = Float32Array.from({ length: grid.lengthFrames }, (_, n) => n + 1);
        const source = new ArraySource([signal], 44_100);
        for (let index = 0; index < grid.segmentCount; index++) {
          const { fromFrame, toFrame } = findReadRange(grid, index);
          expect([fromFrame >= 0, toFrame <= grid.lengthFrames]).toEqual([true, true]);
          const [window = new Float32Array()] = readSegment(source, grid, index);
          const seen = window.filter((value) => value !== 0).map((value) => value - 1);
          expect(seen.every((frame) => frame >= fromFrame && frame < toFrame)).toBe(true);
          const { startFrame, lengthFrames, marginFrames } = segmentSpan(grid, index);
          const own = window.subarray(marginFrames, marginFrames + lengthFrames);
          expect(own).toEqual(signal.subarray(startFrame, startFrame + lengthFrames));
        }
      }),
    );
  });
});

/** The original's loop, as written: pad, cut, weigh, sum, cut. `network` changes a piece by its content and position. */
function demix(
  signal: number[],
  chunk: number,
  overlapCount: number,
  network: (piece: number[]) => number[],
) {
  const step = Math.floor(chunk / overlapCount);
  const border = chunk - step;
  const fade = Math.floor(chunk / 10);
  const reflect = (values: number[], left: number, right: number) => [
    ...values.slice(1, 1 + left).toReversed(),
    ...values,
    ...values.slice(values.length - 1 - right, -1).toReversed(),
  ];
  const isPadded = signal.length > 2 * border && border > 0;
  const mix = isPadded ? reflect(signal, border, border) : signal;
  const [result, counter] = [new Float64Array(mix.length), new Float64Array(mix.length)];
  for (let i = 0; i < mix.length; i += step) {
    const part = mix.slice(i, i + chunk);
    const missing = chunk - part.length;
    const padded =
      part.length > Math.floor(chunk / 2)
        ? reflect(part, 0, missing)
        : [...part, ...Array<number>(missing).fill(0)];
    const window = Array.from({ length: chunk }, (_, n) => {
      const [isFirst, isLast] = [i === 0, i > 0 && i + step >= mix.length];
      if (n < fade) return isFirst ? 1 : n / (fade - 1);
      return n >= chunk - fade && !isLast ? (chunk - 1 - n) / (fade - 1) : 1;
    });
    const made = network(padded);
    part.forEach((_, n) => {
      result[i + n]! += made[n]! * window[n]!;
      counter[i + n]! += window[n]!;
    });
  }
  const joined = [...result].map((value, n) => (counter[n] === 0 ? 0 : value / counter[n]!));
  return isPadded ? joined.slice(border, joined.length - border) : joined;
}

/** Mixes the frames of its piece, so that each segment's place matters. */
const network = (piece: ArrayLike<number>) =>
  Array.from(piece, (value, n) => value * Math.cos(n) + (piece[(n * 7) % piece.length] ?? 0));

/** The network's output for the whole signal, by our segments. */
function separate(signal: readonly number[], grid: SegmentGrid): number[] {
  const source = new ArraySource([Float32Array.from(signal)], 44_100);
  const joint = new OverlapAdd(new SegmentGains(grid));
  return Array.from({ length: grid.segmentCount }, (_, index) => {
    const { marginFrames, lengthFrames } = segmentSpan(grid, index);
    const made = network(readSegment(source, grid, index)[0] ?? []);
    return [...joint.add(index, Float32Array.from(made.slice(marginFrames, marginFrames + lengthFrames)))];
  }).flat();
}

it("`msst` is the loop of Music-Source-Separation-Training", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 20, max: 120 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 2, max: 900 }),
      (segmentFrames, overlapCount, lengthFrames) => {
        const signal = Array.from({ length: lengthFrames }, (_, n) => Math.sin(n * n * 0.1));
        const grid = makeSegmentGrid({ segmentFrames, chunking: msst(overlapCount), lengthFrames });
        const joined = separate(signal, grid);
        const expected = demix(signal, segmentFrames, overlapCount, network);
        expect(joined.length).toBe(expected.length);
        expect(Math.max(...joined.map((value, n) => Math.abs(value - expected[n]!)))).toBeLessThan(1e-5);
      },
    ),
  );
});

it("`demucs` weighs by a triangle and shows a short last segment the audio on both sides", () => {
  const grid = makeSegmentGrid({ segmentFrames: 8, chunking: demucs(0.25), lengthFrames: 20 });
  expect(grid).toMatchObject({ strideFrames: 6, segmentCount: 4 });
  // Frames 18 and 19 of 15 … 22.
  const span = { startFrame: 18, lengthFrames: 2, windowStartFrame: 15, marginFrames: 3 };
  expect(segmentSpan(grid, 3)).toEqual(span);
  // Weights 2 and 1 of the first segment meet 1 and 2 of the second.
  expect([...makeSegmentGains(grid, 1)].map((gain) => Math.round(gain * 300))).toEqual([
    100, 200, 300, 300, 300, 300, 200, 100,
  ]);
});

describe("OverlapAdd", () => {
  it("restores any signal from its own segments", () => {
    fc.assert(
      fc.property(grids, (grid) => {
        const signal = Float32Array.from({ length: grid.lengthFrames }, (_, n) => 1 + Math.sin(n));
        const joint = new OverlapAdd(new SegmentGains(grid));
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
    const grid = makeSegmentGrid({ segmentFrames: 16, chunking: even(0.125), lengthFrames: 30 });
    const joint = new OverlapAdd(new SegmentGains(grid));
    joint.add(0, new Float32Array(16).fill(0));
    const [first, second, third] = joint.add(1, new Float32Array(16).fill(3));
    // Weights 2 and 1 of the earlier segment meet 1 and 2 of the later.
    expect([first, second, third]).toEqual([1, 2, 3]);
  });

  it("averages two segments where neither is near its end", () => {
    const grid = makeSegmentGrid({ segmentFrames: 16, chunking: even(0.125), lengthFrames: 24 });
    const joint = new OverlapAdd(new SegmentGains(grid));
    expect([...joint.add(0, new Float32Array(16).fill(0))]).toEqual(Array(8).fill(0));
    const overlap = [...joint.add(1, new Float32Array(16).fill(12))].slice(0, 8);
    // The later segment's weights are 1/3, 2/3, 1; the earlier one's are the reverse.
    expect(overlap.map((value) => Math.round(value * 1e4) / 1e4)).toEqual([3, 4.8, 6, 6, 6, 6, 7.2, 9]);
  });

  it("blends two segments over their whole overlap", () => {
    const grid = makeSegmentGrid({ segmentFrames: 100, chunking: even(0.25), lengthFrames: 110 });
    expect(grid).toMatchObject({ segmentCount: 2, strideFrames: 10 });
  });
});

it("a network that takes any length gets a short last segment as it is", () => {
  const grid = makeSegmentGrid({ segmentFrames: 8, chunking: anyLength, lengthFrames: 20 });
  expect(segmentSpan(grid, 3)).toEqual({
    startFrame: 18,
    lengthFrames: 2,
    windowStartFrame: 18,
    marginFrames: 0,
  });
  const source = new ArraySource([new Float32Array(20)], 44_100);
  expect(readSegment(source, grid, 3)[0]).toHaveLength(2);
});

/** The loop of Ultimate Vocal Remover, as written. */
function demixMdxNet(signal: number[], chunk: number, trim: number, network: (piece: number[]) => number[]) {
  const step = chunk - 2 * trim;
  const zeros = (count: number) => Array<number>(count).fill(0);
  const mixture = [...zeros(trim), ...signal, ...zeros(step + trim - (signal.length % step))];
  const [result, divider] = [new Float64Array(mixture.length), new Float64Array(mixture.length)];
  for (let start = 0; start < mixture.length; start += step) {
    const part = mixture.slice(start, start + chunk);
    const made = network([...part, ...zeros(chunk - part.length)]);
    part.forEach((_, n) => {
      const weight = 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / (part.length - 1));
      result[start + n]! += made[n]! * weight;
      divider[start + n]! += weight;
    });
  }
  return [...result].map((value, n) => value / divider[n]!).slice(trim, trim + signal.length);
}

it("`mdx-net` is the loop of Ultimate Vocal Remover", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 30, max: 120 }),
      fc.integer({ min: 2, max: 12 }),
      fc.integer({ min: 2, max: 900 }),
      (segmentFrames, trim, lengthFrames) => {
        const signal = Array.from({ length: lengthFrames }, (_, n) => Math.sin(n * n * 0.1));
        const grid = makeSegmentGrid({ segmentFrames, chunking: mdxNet(trim), lengthFrames });
        const joined = separate(signal, grid);
        const expected = demixMdxNet(signal, segmentFrames, trim, network);
        expect(joined.length).toBe(expected.length);
        expect(Math.max(...joined.map((value, n) => Math.abs(value - expected[n]!)))).toBeLessThan(1e-5);
      },
    ),
  );
});
