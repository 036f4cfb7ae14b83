/** Whether the two voices have swapped places between consecutive windows, judged by their overlap. */
export function isExchanged(
  before: readonly [Float32Array, Float32Array],
  after: readonly [Float32Array, Float32Array],
): boolean {
  const kept = correlate(before[0], after[0]) + correlate(before[1], after[1]);
  const exchanged = correlate(before[0], after[1]) + correlate(before[1], after[0]);
  return exchanged > kept;
}

function correlate(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let n = 0; n < a.length; n++) sum += a[n]! * b[n]!;
  return sum;
}

/**
 * Adds part of a window to a stream with crossfades to the previous and next window: across the middle of each overlap, leaving out the very ends of
 * the windows.
 */
export function addFaded(
  into: Float32Array,
  part: {
    plane: Float32Array;
    at: number;
    /** First frame of the window. */
    firstFrame: number;
    before: boolean;
    behind: boolean;
    hopFrames: number;
    overlapFrames: number;
  },
): void {
  const { plane, at, firstFrame, before, behind, hopFrames, overlapFrames } = part;
  const rise = (frame: number) => Math.min(1, Math.max(0, (2 * frame) / overlapFrames - 0.5));
  for (let n = 0; n < plane.length; n++) {
    const frame = firstFrame + n;
    let gain = 1;
    if (before && frame < overlapFrames) gain = rise(frame);
    else if (behind && frame >= hopFrames) gain = 1 - rise(frame - hopFrames);
    into[at + n]! += plane[n]! * gain;
  }
}
