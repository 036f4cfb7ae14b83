/**
 * The grid of segments over a signal. Where there are two, they overlap as far as they lie over each other; where there are more, by half a
 * segment at most. So no more than two meet in a frame.
 */
export type SegmentGrid = {
  segmentFrames: number;
  strideFrames: number;
  overlapFrames: number;
  lengthFrames: number;
  segmentCount: number;
};

/**
 * As few segments as an overlap of at least `overlapShare` allows, spread evenly: what a whole number of segments covers too
 * much goes into longer cross-fades, not into one segment that is nearly all overlap.
 */
export function makeSegmentGrid(options: {
  segmentFrames: number;
  overlapShare: number;
  lengthFrames: number;
}): SegmentGrid {
  const { segmentFrames, overlapShare, lengthFrames } = options;
  const longestStride = Math.floor((1 - overlapShare) * segmentFrames);
  const shortestStride = Math.ceil(segmentFrames / 2);
  if (longestStride < shortestStride) throw new RangeError("segments may overlap by half at most");
  // Strides beyond the first segment: what it leaves of the signal.
  const rest = Math.max(0, lengthFrames - segmentFrames);
  const strides = Math.ceil(rest / longestStride);
  const evenStride = strides === 0 ? longestStride : Math.ceil(rest / strides);
  const strideFrames = strides === 1 ? evenStride : Math.max(shortestStride, evenStride);
  return {
    segmentFrames,
    strideFrames,
    overlapFrames: segmentFrames - strideFrames,
    lengthFrames,
    segmentCount: lengthFrames === 0 ? 0 : 1 + strides,
  };
}

/**
 * Frames the segment covers, and the window the network sees: before a short last segment it has what comes before, so that it ends with the signal;
 * a signal that is shorter than a window sits in its middle.
 */
export function segmentSpan(
  grid: SegmentGrid,
  index: number,
): { startFrame: number; lengthFrames: number; windowStartFrame: number; marginFrames: number } {
  const startFrame = index * grid.strideFrames;
  const lengthFrames = Math.min(grid.segmentFrames, grid.lengthFrames - startFrame);
  const spareFrames = grid.segmentFrames - lengthFrames;
  const marginFrames = startFrame === 0 ? Math.floor(spareFrames / 2) : spareFrames;
  return { startFrame, lengthFrames, windowStartFrame: startFrame - marginFrames, marginFrames };
}

/** The part of a segment at each of its ends in which its network has heard one side only. */
const EDGE_SHARE = 1 / 8;

/**
 * Gain of the later segment over the overlap; the earlier one has 1 minus it. Both count alike but at their edges, where their weight
 * falls to nothing. An overlap no longer than an edge is a linear cross-fade.
 */
export function makeFadeIn({ overlapFrames, segmentFrames }: SegmentGrid): Float64Array {
  const edgeFrames = Math.min(overlapFrames, Math.ceil(EDGE_SHARE * segmentFrames));
  const weightAt = (framesToEnd: number) => Math.min(1, framesToEnd / (edgeFrames + 1));
  return Float64Array.from({ length: overlapFrames }, (_, n) => {
    const later = weightAt(n + 1);
    return later / (later + weightAt(overlapFrames - n));
  });
}

/** Joins segments of one channel as they come and returns each stretch as soon as no later one can change it. */
export class OverlapAdd {
  readonly #grid: SegmentGrid;
  readonly #fadeIn: Float64Array;
  #tail: Float32Array;

  constructor(grid: SegmentGrid, fadeIn: Float64Array) {
    this.#grid = grid;
    this.#fadeIn = fadeIn;
    this.#tail = new Float32Array(0);
  }

  /** `segment` holds the frames of `segmentSpan(grid, index)`; returns those now finished. */
  add(index: number, segment: Float32Array): Float32Array {
    const isLast = index === this.#grid.segmentCount - 1;
    const finishedFrames = isLast ? segment.length : this.#grid.strideFrames;
    const finished = segment.slice(0, finishedFrames);
    for (let n = 0; n < this.#tail.length; n++) {
      const gain = this.#fadeIn[n]!;
      finished[n] = this.#tail[n]! * (1 - gain) + segment[n]! * gain;
    }
    this.#tail = segment.slice(finishedFrames);
    return finished;
  }
}
