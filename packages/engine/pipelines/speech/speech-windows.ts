import type { SpeechRegion } from "../../models/silero-vad/speech-regions.ts";

/** A stretch of the recording and where it stands in a window. */
export type WindowPiece = { sourceFrame: number; windowFrame: number; lengthFrames: number };

/** What the speech network hears at once: stretches with speech, the long pauses between them left out. */
export type SpeechWindow = { pieces: WindowPiece[]; lengthFrames: number };

export type WindowRules = {
  /** The longest window, and how much of it must be full before a pause may end it. */
  maxFrames: number;
  fullFrames: number;
  /** How much of the silence around speech is kept. */
  marginFrames: number;
  sourceFrames: number;
};

type Stretch = SpeechRegion & { pauseFrames: number };

/**
 * Packs regions of speech into windows. A window ends at the longest pause behind `fullFrames`, so that the windows of a recording
 * find back to the same places after something was put into it.
 */
export function packSpeechWindows(regions: readonly SpeechRegion[], rules: WindowRules): SpeechWindow[] {
  const windows: SpeechWindow[] = [];
  let stretches = makeStretches(regions, rules);
  while (stretches.length > 0) {
    const count = countForWindow(stretches, rules);
    windows.push(makeWindow(stretches.slice(0, count)));
    stretches = stretches.slice(count);
  }
  return windows;
}

/** Where a frame of the window lies in the recording. */
export function toSourceFrame(window: SpeechWindow, windowFrame: number): number {
  const piece =
    window.pieces.findLast((candidate) => candidate.windowFrame <= windowFrame) ?? window.pieces[0];
  if (piece === undefined) return 0;
  return piece.sourceFrame + Math.min(windowFrame - piece.windowFrame, piece.lengthFrames);
}

/** Regions with their margins; those whose margins meet are one. Each knows the pause behind it. */
function makeStretches(regions: readonly SpeechRegion[], rules: WindowRules): Stretch[] {
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
      pauseFrames: (all[index + 1]?.startFrame ?? Number.POSITIVE_INFINITY) - region.endFrame,
    }));
}

/** Speech without a pause that is longer than a window, in equal parts. */
function cut({ startFrame, endFrame }: SpeechRegion, maxFrames: number): SpeechRegion[] {
  const count = Math.ceil((endFrame - startFrame) / maxFrames);
  const at = (part: number) => startFrame + Math.round(((endFrame - startFrame) * part) / count);
  return Array.from({ length: count }, (_, part) => ({ startFrame: at(part), endFrame: at(part + 1) }));
}

/** How many stretches the next window takes. */
function countForWindow(stretches: readonly Stretch[], rules: WindowRules): number {
  let frames = 0;
  let best = 1;
  let isFull = false;
  for (const [index, { startFrame, endFrame, pauseFrames }] of stretches.entries()) {
    frames += endFrame - startFrame;
    if (frames > rules.maxFrames) break;
    const isLonger = !isFull || pauseFrames >= (stretches[best - 1]?.pauseFrames ?? 0);
    if (isLonger) best = index + 1;
    isFull ||= frames >= rules.fullFrames;
  }
  return best;
}

function makeWindow(stretches: readonly Stretch[]): SpeechWindow {
  const pieces: WindowPiece[] = [];
  let lengthFrames = 0;
  for (const { startFrame, endFrame } of stretches) {
    pieces.push({
      sourceFrame: startFrame,
      windowFrame: lengthFrames,
      lengthFrames: endFrame - startFrame,
    });
    lengthFrames += endFrame - startFrame;
  }
  return { pieces, lengthFrames };
}
