import { VOICE_RATE_HZ, VOICE_WINDOW_FRAMES, type VoicePair } from "../networks/voices/voice-separator.ts";

/** Whether the two voices are swapped between consecutive windows, judged by their overlap in all channels. */
export function isExchanged(before: VoicePair, after: VoicePair): boolean {
  const kept = correlate(before[0], after[0]) + correlate(before[1], after[1]);
  const exchanged = correlate(before[0], after[1]) + correlate(before[1], after[0]);
  return exchanged > kept;
}

function correlate(a: readonly Float32Array[], b: readonly Float32Array[]): number {
  let sum = 0;
  for (const [channel, plane] of a.entries())
    for (let n = 0; n < plane.length; n++) sum += plane[n]! * b[channel]![n]!;
  return sum;
}

/** A crossfade between two windows that overlap. */
export type Crossfade = { middle: number; halfFrames: number };

const FADE_FRAMES = 0.75 * VOICE_RATE_HZ;

/** In the middle of what two windows share: their ends have the least context. */
export function joinWindows(start: number, nextStart: number): Crossfade {
  const sharedFrames = start + VOICE_WINDOW_FRAMES - nextStart;
  return { middle: nextStart + sharedFrames / 2, halfFrames: Math.min(FADE_FRAMES, sharedFrames) / 2 };
}

/** Adds part of a window, from frame `from` of the recording on, faded in after the previous window and out before the next. */
export function addFaded(
  into: Float32Array,
  part: {
    plane: Float32Array;
    at: number;
    from: number;
    before: Crossfade | undefined;
    behind: Crossfade | undefined;
  },
): void {
  const { plane, at, from, before, behind } = part;
  for (let n = 0; n < plane.length; n++) {
    const gain = (before ? rise(before, from + n) : 1) - (behind ? rise(behind, from + n) : 0);
    into[at + n]! += plane[n]! * gain;
  }
}

function rise({ middle, halfFrames }: Crossfade, frame: number): number {
  return Math.min(1, Math.max(0, 0.5 + (frame - middle) / (2 * halfFrames)));
}
