/**
 * The grid of segments over a signal. Two segments may overlap by any amount, more than two by at most half a segment, so at most two segments meet in
 * a frame.
 */
export type SegmentGrid = {
  segmentFrames: number;
  strideFrames: number;
  overlapFrames: number;
  lengthFrames: number;
  segmentCount: number;
};

/**
 * As few segments as an overlap of at least `overlapShare` allows, spread evenly: excess coverage makes all crossfades longer instead of one segment
 * that is nearly all overlap.
 */
export function makeSegmentGrid(options: {
  segmentFrames: number;
  overlapShare: number;
  lengthFrames: number;
}): SegmentGrid {
  const { segmentFrames, overlapShare, lengthFrames } = options;
  const longestStride = Math.floor((1 - overlapShare) * segmentFrames);
  const shortestStride = Math.ceil(segmentFrames / 2);
  if (longestStride < shortestStride)
    throw new RangeError("segments may overlap by at most half their length");
  // The frames beyond the first segment, to be covered by strides.
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
 * The frames a segment covers, and the window the network sees. The window of a short last segment starts earlier, so that it ends with the signal; a
 * signal shorter than a window is centred in it.
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

/** The share of a segment, at each end, where the network had context on one side only. */
const EDGE_SHARE = 1 / 8;

/**
 * Gain of the later segment over the overlap; the earlier one has 1 minus it. Both have equal weight except at their edges, where it falls to zero.
 * An overlap no longer than an edge is a linear crossfade.
 */
export function makeFadeIn({ overlapFrames, segmentFrames }: SegmentGrid): Float64Array {
  const edgeFrames = Math.min(overlapFrames, Math.ceil(EDGE_SHARE * segmentFrames));
  const weightAt = (framesToEnd: number) => Math.min(1, framesToEnd / (edgeFrames + 1));
  return Float64Array.from({ length: overlapFrames }, (_, n) => {
    const later = weightAt(n + 1);
    return later / (later + weightAt(overlapFrames - n));
  });
}

/** Joins the segments of one channel as they arrive and returns frames as soon as no later segment can change them. */
export class OverlapAdd {
  readonly #grid: SegmentGrid;
  readonly #fadeIn: Float64Array;
  #tail: Float32Array;

  constructor(grid: SegmentGrid, fadeIn: Float64Array) {
    this.#grid = grid;
    this.#fadeIn = fadeIn;
    this.#tail = new Float32Array(0);
  }

  /** `segment` holds the frames of `segmentSpan(grid, index)`; returns the frames that are now final. */
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
