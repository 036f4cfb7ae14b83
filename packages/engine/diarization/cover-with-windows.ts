import { VOICE_RATE_HZ, VOICE_WINDOW_FRAMES } from "../networks/voices/voice-separator.ts";

/** What neighbouring windows of one segment have in common at least: enough to recognise their voices by. */
const SHARED_FRAMES = 2 * VOICE_RATE_HZ;

/** A range of frames, end exclusive. */
export type FrameSpan = { from: number; to: number };

/**
 * Starts of the windows that cover all spans, which are in order: one for spans that fit into it together, with what surrounds them, and several, evenly
 * spread, for a longer span. Windows reach beyond the recording only if it is shorter than one.
 */
export function coverWithWindows(spans: readonly FrameSpan[], lengthFrames: number): number[] {
  const segments: FrameSpan[] = [];
  for (const { from, to } of spans) {
    const last = segments.at(-1);
    if (last && to <= Math.max(last.to, last.from + VOICE_WINDOW_FRAMES)) last.to = Math.max(last.to, to);
    else segments.push({ from, to });
  }
  const latest = Math.max(0, lengthFrames - VOICE_WINDOW_FRAMES);
  const starts = segments.flatMap(spread).map((start) => Math.min(latest, Math.max(0, start)));
  return [...new Set(starts)].sort((a, b) => a - b);
}

function spread({ from, to }: FrameSpan): number[] {
  const excess = to - from - VOICE_WINDOW_FRAMES;
  if (excess <= 0) return [from + Math.floor(excess / 2)];
  const hops = Math.ceil(excess / (VOICE_WINDOW_FRAMES - SHARED_FRAMES));
  return Array.from({ length: hops + 1 }, (_, n) => from + Math.round((n * excess) / hops));
}
