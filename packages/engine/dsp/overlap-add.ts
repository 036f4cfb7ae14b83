/**
 * How a network's segments cover a signal. `even`: ours, as few segments as a minimum overlap allows. `msst`: Music-Source-Separation-Training's
 * `demix` with batches of 1, the signal mirrored at both ends. `demucs`: Demucs' `apply_model` with `shifts=0`; a network that `takesAnyLength` gets a short last piece as it is.
 * `mean`: the mean of all segments that cover a frame, silence behind the signal. `mdx-net`: as Ultimate Vocal Remover runs MDX-Net, silence at both
 * ends, `trimFrames` of it in front.
 */
export type Chunking =
  | { convention: "even"; overlapShare: number }
  | { convention: "msst"; overlapCount: number }
  | { convention: "demucs"; overlapShare: number; takesAnyLength?: boolean | undefined }
  | { convention: "mean"; overlapCount: number }
  | { convention: "mdx-net"; trimFrames: number };

/** The grid of segments over a signal. Any number of them may meet in a frame. */
export type SegmentGrid = {
  convention: Chunking["convention"];
  segmentFrames: number;
  strideFrames: number;
  lengthFrames: number;
  segmentCount: number;
  /** A short last segment is not extended. */
  takesAnyLength?: boolean;
  /** Where the first segment starts: before the signal, if that is mirrored at its ends. */
  firstFrame: number;
};

type Covered = { segmentFrames: number; lengthFrames: number };

/** The share of a segment that its neighbour covers too, at least. */
export function toOverlapShare(chunking: Chunking): number {
  if (chunking.convention === "mdx-net") return 0;
  return "overlapCount" in chunking ? 1 - 1 / chunking.overlapCount : chunking.overlapShare;
}

export function makeSegmentGrid({ chunking, ...covered }: Covered & { chunking: Chunking }): SegmentGrid {
  if (chunking.convention === "even") return makeEvenGrid(covered, chunking.overlapShare);
  if (chunking.convention === "msst") return makeMsstGrid(covered, chunking.overlapCount);
  if (chunking.convention === "mdx-net") return makeMdxNetGrid(covered, chunking.trimFrames);
  if (chunking.convention === "mean") {
    const strideFrames = Math.floor(covered.segmentFrames / chunking.overlapCount);
    const segmentCount = Math.ceil(covered.lengthFrames / strideFrames);
    return { convention: "mean", ...covered, strideFrames, segmentCount, firstFrame: 0 };
  }
  const strideFrames = Math.floor((1 - chunking.overlapShare) * covered.segmentFrames);
  const segmentCount = Math.ceil(covered.lengthFrames / strideFrames);
  const { takesAnyLength = false } = chunking;
  return { convention: "demucs", ...covered, strideFrames, segmentCount, firstFrame: 0, takesAnyLength };
}

/**
 * As few segments as an overlap of at least `overlapShare` allows, spread evenly: excess coverage makes all crossfades longer instead of one segment
 * that is nearly all overlap.
 */
function makeEvenGrid({ segmentFrames, lengthFrames }: Covered, overlapShare: number): SegmentGrid {
  const longestStride = Math.floor((1 - overlapShare) * segmentFrames);
  const shortestStride = Math.ceil(segmentFrames / 2);
  if (longestStride < shortestStride)
    throw new RangeError("segments may overlap by at most half their length");
  // The frames beyond the first segment, to be covered by strides.
  const rest = Math.max(0, lengthFrames - segmentFrames);
  const strides = Math.ceil(rest / longestStride);
  const evenStride = strides === 0 ? longestStride : Math.ceil(rest / strides);
  return {
    convention: "even",
    segmentFrames,
    strideFrames: strides === 1 ? evenStride : Math.max(shortestStride, evenStride),
    lengthFrames,
    segmentCount: lengthFrames === 0 ? 0 : 1 + strides,
    firstFrame: 0,
  };
}

/** Without the pieces of the original that cover nothing but the mirrored end. */
function makeMsstGrid({ segmentFrames, lengthFrames }: Covered, overlapCount: number): SegmentGrid {
  const strideFrames = Math.floor(segmentFrames / overlapCount);
  const borderFrames = segmentFrames - strideFrames;
  const firstFrame = lengthFrames > 2 * borderFrames ? 0 - borderFrames : 0;
  const segmentCount = Math.ceil((lengthFrames - firstFrame) / strideFrames);
  return {
    ...{ convention: "msst", segmentFrames, strideFrames, lengthFrames, firstFrame },
    segmentCount: lengthFrames === 0 ? 0 : segmentCount,
  };
}

/** Neighbours overlap by twice the trim. */
function makeMdxNetGrid({ segmentFrames, lengthFrames }: Covered, trimFrames: number): SegmentGrid {
  const strideFrames = segmentFrames - 2 * trimFrames;
  const segmentCount = lengthFrames === 0 ? 0 : Math.ceil((lengthFrames + trimFrames) / strideFrames);
  return {
    convention: "mdx-net",
    segmentFrames,
    lengthFrames,
    strideFrames,
    segmentCount,
    firstFrame: 0 - trimFrames,
  };
}

/**
 * The frames a segment covers, and the window the network sees, in which they start after `marginFrames`. A short last segment is extended with the
 * audio before it (even), on both sides (demucs) or to the right (msst, mirrored or with silence: `readSegment`).
 */
export function segmentSpan(
  grid: SegmentGrid,
  index: number,
): { startFrame: number; lengthFrames: number; windowStartFrame: number; marginFrames: number } {
  const from = grid.firstFrame + index * grid.strideFrames;
  const startFrame = Math.max(0, from);
  const lengthFrames = Math.min(from + grid.segmentFrames, grid.lengthFrames) - startFrame;
  const isPlaced = grid.convention === "msst" || grid.convention === "mdx-net";
  const marginFrames = isPlaced ? startFrame - from : findMargin(grid, from);
  return { startFrame, lengthFrames, windowStartFrame: startFrame - marginFrames, marginFrames };
}

function findMargin(grid: SegmentGrid, startFrame: number): number {
  const { convention, segmentFrames, lengthFrames } = grid;
  if (convention === "mean" || grid.takesAnyLength) return 0;
  const spareFrames = Math.max(0, startFrame + segmentFrames - lengthFrames);
  return convention === "demucs" || startFrame === 0 ? Math.floor(spareFrames / 2) : spareFrames;
}

/** The frames that no later segment changes once the first `segments` are joined; the next segment starts there. */
export function finalFrames(grid: SegmentGrid, segments: number): number {
  if (segments >= grid.segmentCount) return grid.lengthFrames;
  return Math.min(grid.lengthFrames, Math.max(0, grid.firstFrame + segments * grid.strideFrames));
}

/** The most segments whose frames are all among the first `frames`. */
export function countFinalSegments(grid: SegmentGrid, frames: number): number {
  if (frames >= grid.lengthFrames) return grid.segmentCount;
  const strides = Math.floor((frames - grid.firstFrame) / grid.strideFrames);
  // The last segment completes more than a stride.
  return Math.min(grid.segmentCount - 1, Math.max(0, strides));
}

/** The first segment that covers frames which are not final after `segments`: where joining can start again. */
export function firstJoinedSegment(grid: SegmentGrid, segments: number): number {
  const reachFrames = finalFrames(grid, segments) - grid.segmentFrames - grid.firstFrame;
  return Math.min(segments, Math.max(0, Math.floor(reachFrames / grid.strideFrames) + 1));
}

/** The share of a segment, at each end, where the network had context on one side only. */
const EDGE_SHARE = 1 / 8;
/** `fade_size` of the original. */
const MSST_FADE_SHARE = 1 / 10;

/** numpy's `hanning` over what a segment covers of the signal with its silence, which is whole strides and both trims long. */
function makeHanning(
  { segmentFrames, strideFrames, lengthFrames }: SegmentGrid,
  index: number,
): (n: number) => number {
  const paddedFrames =
    (Math.floor(lengthFrames / strideFrames) + 1) * strideFrames + segmentFrames - strideFrames;
  const ownFrames = Math.min(segmentFrames, paddedFrames - index * strideFrames);
  return (n) => (n < ownFrames ? 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / (ownFrames - 1)) : 0);
}

/** The weight of frame `n` of a segment among those it meets. */
function makeWeight(grid: SegmentGrid, index: number): (n: number) => number {
  const { convention, segmentFrames, strideFrames } = grid;
  if (convention === "even") {
    const edgeFrames = Math.min(segmentFrames - strideFrames, Math.ceil(EDGE_SHARE * segmentFrames));
    return (n) => Math.min(1, (n + 1) / (edgeFrames + 1), (segmentFrames - n) / (edgeFrames + 1));
  }
  if (convention === "mean") return () => 1;
  if (convention === "mdx-net") return makeHanning(grid, index);
  if (convention === "demucs") {
    const half = Math.floor(segmentFrames / 2);
    return (n) => (n < half ? n + 1 : segmentFrames - n);
  }
  const fadeFrames = Math.floor(MSST_FADE_SHARE * segmentFrames);
  const isFirst = index === 0;
  const startFrame = grid.firstFrame + index * strideFrames;
  // The mirrored end counts: the original's last piece may cover nothing else.
  const isLast = startFrame + strideFrames >= grid.lengthFrames - grid.firstFrame;
  const fade = (n: number) => (fadeFrames > 1 ? Math.min(1, n / (fadeFrames - 1)) : 0);
  return (n) => {
    if (n < fadeFrames) return isFirst ? 1 : fade(n);
    // The original's first piece keeps its end, though it be the only one.
    if (n >= segmentFrames - fadeFrames) return isLast && !isFirst ? 1 : fade(segmentFrames - 1 - n);
    return 1;
  };
}

/** The gains of a segment's frames: its weights over the sum of those of all segments there. Where all are 0, so is the gain. */
export function makeSegmentGains(grid: SegmentGrid, index: number): Float64Array {
  const { strideFrames, segmentFrames, segmentCount } = grid;
  const { lengthFrames, startFrame } = segmentSpan(grid, index);
  const firstFrame = startFrame - grid.firstFrame - index * strideFrames;
  const weight = makeWeight(grid, index);
  const gains = Float64Array.from({ length: lengthFrames }, (_, n) => weight(firstFrame + n));
  const sums = gains.slice();
  const reach = Math.ceil(segmentFrames / strideFrames) - 1;
  for (let other = Math.max(0, index - reach); other <= index + reach && other < segmentCount; other++) {
    if (other === index) continue;
    const weightOther = makeWeight(grid, other);
    const shift = firstFrame + (index - other) * strideFrames;
    const end = Math.min(lengthFrames, segmentFrames - shift);
    for (let n = Math.max(0, -shift); n < end; n++) sums[n]! += weightOther(shift + n);
  }
  return gains.map((gain, n) => (sums[n] === 0 ? 0 : gain / sums[n]!));
}

/** Gains of the segment that is being joined, for all channels of all stems. */
export class SegmentGains {
  readonly grid: SegmentGrid;
  #index = -1;
  #gains: Float64Array = new Float64Array();

  constructor(grid: SegmentGrid) {
    this.grid = grid;
  }

  of(index: number): Float64Array {
    if (index !== this.#index) this.#gains = makeSegmentGains(this.grid, index);
    this.#index = index;
    return this.#gains;
  }
}

/**
 * Joins the segments of one channel as they arrive and returns frames as soon as no later segment can change them. Started at `firstJoinedSegment`, it
 * returns the same samples from there on as if it had joined all of them.
 */
export class OverlapAdd {
  readonly #gains: SegmentGains;
  #tail = new Float32Array(0);

  constructor(gains: SegmentGains) {
    this.#gains = gains;
  }

  /** `segment` holds the frames of `segmentSpan(grid, index)`; returns the frames that are now final. */
  add(index: number, segment: Float32Array): Float32Array {
    const { grid } = this.#gains;
    const gains = this.#gains.of(index);
    const sum = new Float32Array(segment.length);
    sum.set(this.#tail);
    for (let n = 0; n < segment.length; n++) sum[n]! += segment[n]! * gains[n]!;
    const finishedFrames = finalFrames(grid, index + 1) - finalFrames(grid, index);
    this.#tail = sum.slice(finishedFrames);
    return sum.slice(0, finishedFrames);
  }
}
