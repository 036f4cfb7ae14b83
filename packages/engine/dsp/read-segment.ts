import { type SegmentGrid, segmentSpan } from "./overlap-add.ts";
import type { FrameSource } from "./sources/frame-source.ts";

type Reader = Pick<FrameSource, "read">;

/** The frames of the signal that a segment's window is made from, end exclusive. */
export function findReadRange(grid: SegmentGrid, index: number): { fromFrame: number; toFrame: number } {
  const { lengthFrames } = grid;
  const { windowStartFrame: start } = segmentSpan(grid, index);
  const end = start + grid.segmentFrames;
  if (grid.convention !== "msst")
    return { fromFrame: Math.max(0, start), toFrame: Math.min(lengthFrames, end) };
  const lastEnd = Math.min(end, lengthFrames - grid.firstFrame);
  const fromFrame = Math.max(0, Math.min(start, mirror(lastEnd - 1, lengthFrames)));
  return { fromFrame, toFrame: Math.min(lengthFrames, Math.max(lastEnd, 1 - start)) };
}

/** The window of a segment, one array per channel. Beyond the signal there is silence or, in the convention `msst`, its mirror image. */
export function readSegment(source: Reader, grid: SegmentGrid, index: number): Float32Array[] {
  const { windowStartFrame, lengthFrames } = segmentSpan(grid, index);
  if (grid.convention !== "msst")
    return source.read(windowStartFrame, grid.takesAnyLength ? lengthFrames : grid.segmentFrames);
  const { fromFrame, toFrame } = findReadRange(grid, index);
  const frames = listMirroredFrames(grid, windowStartFrame);
  return source.read(fromFrame, toFrame - fromFrame).map((plane) => {
    const window = new Float32Array(grid.segmentFrames);
    for (let n = 0; n < frames.length; n++) {
      const frame = frames[n]!;
      if (frame >= 0) window[n] = plane[frame - fromFrame]!;
    }
    return window;
  });
}

/**
 * The original pads twice: the whole signal by reflection, then a piece that ends early, by reflection if more than half of it is there and with silence
 * otherwise (−1).
 */
function listMirroredFrames(
  { segmentFrames, lengthFrames, firstFrame }: SegmentGrid,
  start: number,
): Int32Array {
  const ownFrames = Math.min(segmentFrames, lengthFrames - firstFrame - start);
  const isMirrored = ownFrames > Math.floor(segmentFrames / 2);
  return Int32Array.from({ length: segmentFrames }, (_, n) => {
    if (n < ownFrames) return mirror(start + n, lengthFrames);
    return isMirrored ? mirror(start + 2 * (ownFrames - 1) - n, lengthFrames) : -1;
  });
}

/** Reflected once at the first and last frame, neither of which is repeated. */
function mirror(frame: number, lengthFrames: number): number {
  if (frame < 0) return -frame;
  return frame < lengthFrames ? frame : 2 * (lengthFrames - 1) - frame;
}
