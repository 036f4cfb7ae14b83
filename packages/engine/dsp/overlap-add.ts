/**
 * The grid of segments over a signal and the weights that join them. Neighbours overlap by less than half
 * a segment, so at most two meet in a frame; their triangular weights, divided by their sum, make a linear
 * cross-fade.
 */
export type SegmentGrid = {
  segmentFrames: number;
  strideFrames: number;
  overlapFrames: number;
  lengthFrames: number;
  segmentCount: number;
};

export function makeSegmentGrid(options: {
  segmentFrames: number;
  overlapShare: number;
  lengthFrames: number;
}): SegmentGrid {
  const { segmentFrames, overlapShare, lengthFrames } = options;
  const strideFrames = Math.floor((1 - overlapShare) * segmentFrames);
  const overlapFrames = segmentFrames - strideFrames;
  if (overlapFrames > strideFrames) throw new RangeError("segments may overlap by half at most");
  // A segment that starts where the one before already reaches the end would add nothing new.
  const segmentCount =
    lengthFrames === 0 ? 0 : 1 + Math.max(0, Math.ceil((lengthFrames - segmentFrames) / strideFrames));
  return { segmentFrames, strideFrames, overlapFrames, lengthFrames, segmentCount };
}

/** Frames the segment covers, and the window the network sees: a short last segment sits in its middle. */
export function segmentSpan(
  grid: SegmentGrid,
  index: number,
): { startFrame: number; lengthFrames: number; windowStartFrame: number; marginFrames: number } {
  const startFrame = index * grid.strideFrames;
  const lengthFrames = Math.min(grid.segmentFrames, grid.lengthFrames - startFrame);
  const marginFrames = Math.floor((grid.segmentFrames - lengthFrames) / 2);
  return { startFrame, lengthFrames, windowStartFrame: startFrame - marginFrames, marginFrames };
}

/** Gain of the later segment over the overlap; the earlier one has 1 minus it. */
export function makeFadeIn(overlapFrames: number): Float64Array {
  return Float64Array.from({ length: overlapFrames }, (_, n) => (n + 1) / (overlapFrames + 1));
}

/** Joins segments of one channel as they come and gives out each stretch as soon as no later one can change it. */
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
