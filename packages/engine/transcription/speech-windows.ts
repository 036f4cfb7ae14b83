import type { FrameSource } from "../dsp/sources/frame-source.ts";
import type { SpeechRegion } from "../networks/silero-vad/speech-regions.ts";
import { SPEECH_RATE_HZ } from "../networks/whisper/log-mel.ts";

/** A piece of the recording and its position in a window. */
export type WindowPiece = { sourceFrame: number; windowFrame: number; lengthFrames: number };

/** What the speech network processes at once: spans of speech without the long pauses between them. */
export type SpeechWindow = { pieces: WindowPiece[]; lengthFrames: number };

export type WindowRules = {
  /** The longest window, and how full it must be before a pause may end it. */
  maxFrames: number;
  fullFrames: number;
  /** Silence that is kept around speech. */
  marginFrames: number;
  sourceFrames: number;
};

/** Longer pauses count as this long, so that the length of a silence does not matter. */
const LONG_PAUSE_FRAMES = SPEECH_RATE_HZ;

type SpeechSpan = SpeechRegion & { pauseFrames: number };

/**
 * Packs regions of speech into windows. A window ends at the longest pause after `fullFrames`, so that after an insertion the windows of a recording
 * soon fall into the same places again.
 */
export function packSpeechWindows(regions: readonly SpeechRegion[], rules: WindowRules): SpeechWindow[] {
  const windows: SpeechWindow[] = [];
  let spans = makeSpeechSpans(regions, rules);
  while (spans.length > 0) {
    const count = countForWindow(spans, rules);
    const taken = spans.slice(0, count);
    windows.push(
      makeWindow(
        taken.map(({ startFrame, endFrame }) => ({
          sourceFrame: startFrame,
          lengthFrames: endFrame - startFrame,
        })),
      ),
    );
    spans = spans.slice(count);
  }
  return windows;
}

/** Maps a span of a window to the recording. A span across a joint goes where most of it is. */
export function toSourceSpan(
  window: SpeechWindow,
  span: { startSeconds: number; endSeconds: number },
): { startSeconds: number; endSeconds: number } {
  const start = span.startSeconds * SPEECH_RATE_HZ;
  const end = span.endSeconds * SPEECH_RATE_HZ;
  const shared = window.pieces.map(
    ({ windowFrame, lengthFrames }) =>
      Math.min(end, windowFrame + lengthFrames) - Math.max(start, windowFrame),
  );
  const piece = window.pieces[shared.indexOf(Math.max(...shared))];
  if (piece === undefined) throw new RangeError("a window without audio has no words");
  const toSeconds = (frame: number) => {
    const inside = Math.min(Math.max(frame - piece.windowFrame, 0), piece.lengthFrames);
    return (piece.sourceFrame + inside) / SPEECH_RATE_HZ;
  };
  return { startSeconds: toSeconds(start), endSeconds: toSeconds(end) };
}

export function readWindow({ pieces, lengthFrames }: SpeechWindow, source: FrameSource): Float32Array {
  const samples = new Float32Array(lengthFrames);
  for (const { sourceFrame, windowFrame, lengthFrames: length } of pieces) {
    const [plane = new Float32Array()] = source.read(sourceFrame, length);
    samples.set(plane, windowFrame);
  }
  return samples;
}

/** Regions with their margins, merged if these touch, and the pause after each. */
function makeSpeechSpans(regions: readonly SpeechRegion[], rules: WindowRules): SpeechSpan[] {
  const merged: SpeechRegion[] = [];
  for (const region of regions) {
    const startFrame = Math.max(0, region.startFrame - rules.marginFrames);
    const endFrame = Math.min(rules.sourceFrames, region.endFrame + rules.marginFrames);
    const last = merged.at(-1);
    if (last !== undefined && startFrame <= last.endFrame) last.endFrame = endFrame;
    else merged.push({ startFrame, endFrame });
  }
  return merged
    .flatMap((region) => cut(region, rules.maxFrames))
    .map((region, index, all) => ({
      ...region,
      pauseFrames: Math.min(
        (all[index + 1]?.startFrame ?? Number.POSITIVE_INFINITY) - region.endFrame,
        LONG_PAUSE_FRAMES,
      ),
    }));
}

/** Splits uninterrupted speech that is longer than a window into equal parts. */
function cut({ startFrame, endFrame }: SpeechRegion, maxFrames: number): SpeechRegion[] {
  const count = Math.ceil((endFrame - startFrame) / maxFrames);
  const at = (part: number) => startFrame + Math.round(((endFrame - startFrame) * part) / count);
  return Array.from({ length: count }, (_, part) => ({ startFrame: at(part), endFrame: at(part + 1) }));
}

/** How many spans the next window takes. */
function countForWindow(spans: readonly SpeechSpan[], rules: WindowRules): number {
  let frames = 0;
  let best = 1;
  let isFull = false;
  for (const [index, { startFrame, endFrame, pauseFrames }] of spans.entries()) {
    frames += endFrame - startFrame;
    if (frames > rules.maxFrames) break;
    const isLonger = !isFull || pauseFrames >= (spans[best - 1]?.pauseFrames ?? 0);
    if (isLonger) best = index + 1;
    isFull ||= frames >= rules.fullFrames;
  }
  return best;
}

/** Concatenates spans of the recording. */
export function makeWindow(spans: readonly { sourceFrame: number; lengthFrames: number }[]): SpeechWindow {
  const pieces: WindowPiece[] = [];
  let windowFrame = 0;
  for (const { sourceFrame, lengthFrames } of spans) {
    pieces.push({ sourceFrame, windowFrame, lengthFrames });
    windowFrame += lengthFrames;
  }
  return { pieces, lengthFrames: windowFrame };
}
