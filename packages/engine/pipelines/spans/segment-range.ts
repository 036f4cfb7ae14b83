import type { SegmentGrid } from "../../dsp/overlap-add.ts";

/** Segments of a pass, from one up to another. */
export type SegmentRange = { from: number; to: number };

/** The spans of one pass, some of which are made elsewhere. */
export type PassSpans = {
  ranges: readonly SegmentRange[];
  /** The files of a span's stems, once they are there; undefined where it is to be made here. */
  take(index: number): Promise<ReadonlyMap<string, string> | undefined>;
  /** How much of a span is made elsewhere, from 0 to 1. */
  shareElsewhere(index: number): number;
  /** Calls whenever that changes, until what it gives is called. */
  onElsewhere(listener: () => void): () => void;
};

/** The frame behind the last one that is finished with the segments of a range. */
export const toRangeEnd = (grid: SegmentGrid, { to }: SegmentRange): number =>
  to === grid.segmentCount ? grid.lengthFrames : to * grid.strideFrames;

/**
 * A pass cut at frames of the whole input, each cut at the first segment behind it. The pass may begin later than the input does.
 */
export function cutAtFrames(
  { strideFrames, segmentCount }: SegmentGrid,
  { startFrame, cutFrames }: { startFrame: number; cutFrames: readonly number[] },
): SegmentRange[] {
  const cuts = cutFrames.map((frame) =>
    Math.min(segmentCount, Math.max(0, Math.ceil((frame - startFrame) / strideFrames))),
  );
  const bounds = [0, ...cuts, segmentCount];
  return bounds.slice(1).map((to, index) => ({ from: bounds[index] ?? 0, to }));
}
