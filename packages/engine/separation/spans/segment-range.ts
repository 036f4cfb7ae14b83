import type { SegmentGrid } from "../../dsp/overlap-add.ts";

/** Segments of a pass, end exclusive. */
export type SegmentRange = { from: number; to: number };

/** The spans of one pass, some of which other workers make. */
export type PassSpans = {
  ranges: readonly SegmentRange[];
  /** The files of a span's stems once another worker has made them; undefined if it is to be made here. */
  take(index: number): Promise<ReadonlyMap<string, string> | undefined>;
  /** The share of a span that another worker has done, from 0 to 1. */
  shareElsewhere(index: number): number;
  /** Calls `listener` whenever that changes; returns the unsubscribe function. */
  onElsewhere(listener: () => void): () => void;
};

/** Splits a pass at frames of the whole input, each split at the next segment boundary. The pass may start later than the input does. */
export function cutAtFrames(
  { strideFrames, segmentCount, firstFrame }: SegmentGrid,
  { startFrame, cutFrames }: { startFrame: number; cutFrames: readonly number[] },
): SegmentRange[] {
  const cuts = cutFrames.map((frame) =>
    Math.min(segmentCount, Math.max(0, Math.ceil((frame - startFrame - firstFrame) / strideFrames))),
  );
  const bounds = [0, ...cuts, segmentCount];
  return bounds.slice(1).map((to, index) => ({ from: bounds[index] ?? 0, to }));
}
