import { findLocalSpeaker } from "./same-speaker-links.ts";
import { MIN_PROBABILITY, type SegmentedWindow } from "./segment-speakers.ts";
import type { StepRun } from "./step-runs.ts";
import { NO_SPEAKER, STEPS_PER_SECOND, type Turns } from "./turns.ts";

/** A segment belongs to a local speaker of a window if the local speaker's share is at least this (the squares of all shares sum to 1). */
const MIN_LINK = 0.7;
/** Steps of a segment within a window that identify its local speaker: fewer than for links, so that a voice continuing into a window has a label there. */
const MIN_STEPS = STEPS_PER_SECOND / 2;
/** A voice that no window has alone belongs to the nearest of the others who talk alone within this time; with one or two speakers, at any time. */
const REACH_STEPS = 3 * STEPS_PER_SECOND;

type LabelledSegment = StepRun & { speaker: number };
/** A window, and the segments of each of its local speakers. */
type LabelledWindow = SegmentedWindow & { segmentsByLocalSpeaker: LabelledSegment[][] };
type ActiveVoice = { probability: number; speaker: number | undefined };

/**
 * Assigns each local speaker of a window to the speaker of its nearest segment; if it has none, to the one the adjacent windows find in that step, or
 * else to whoever talks alone shortly before or after. Where nobody is ever active alone, all of it is one speaker's.
 */
export function assignSpeakers(
  windows: readonly SegmentedWindow[],
  segments: readonly LabelledSegment[],
  stepCount: number,
): Turns {
  const turns: Turns = {
    voiceCount: Math.max(Math.min(1, windows.length), ...segments.map(({ speaker }) => speaker + 1)),
    speakers: new Int8Array(stepCount).fill(NO_SPEAKER),
    overlapping: new Int8Array(stepCount).fill(NO_SPEAKER),
    confidence: new Float32Array(stepCount),
    activeCount: new Uint8Array(stepCount),
  };
  const labelled = windows.map((window) => ({
    ...window,
    segmentsByLocalSpeaker: groupByLocalSpeaker(window, segments),
  }));
  const reach = turns.voiceCount <= 2 ? Number.POSITIVE_INFINITY : REACH_STEPS;
  for (const [at, window] of labelled.entries()) {
    const neighbours = [labelled[at - 1], labelled[at + 1]].filter((other) => other !== undefined);
    for (let step = window.middle.from; step < window.middle.to; step++) {
      const voices = listVoices(window, step);
      turns.activeCount[step] = voices.length;
      for (const voice of voices) {
        if (segments.length === 0) voice.speaker = 0;
        if (voice.speaker !== undefined) continue;
        const others = voices.map(({ speaker }) => speaker);
        voice.speaker =
          findInNeighbours(neighbours, { others, step }) ?? findNearest(segments, { others, step, reach });
      }
      recordStep(turns, step, voices);
    }
  }
  return turns;
}

function groupByLocalSpeaker(
  window: SegmentedWindow,
  segments: readonly LabelledSegment[],
): LabelledSegment[][] {
  const shares = segments.map((segment) => findLocalSpeaker(window, segment, MIN_STEPS));
  return window.probabilities.map((_, at) =>
    segments.filter((_segment, index) => (shares[index]?.[at] ?? 0) > MIN_LINK),
  );
}

function listVoices(
  { probabilities, firstStep, segmentsByLocalSpeaker }: LabelledWindow,
  step: number,
): ActiveVoice[] {
  return probabilities.flatMap((row, localSpeaker) => {
    const probability = row[step - firstStep] ?? 0;
    return probability > MIN_PROBABILITY
      ? [{ probability, speaker: findNearest(segmentsByLocalSpeaker[localSpeaker]!, { step }) }]
      : [];
  });
}

type Others = { others: readonly (number | undefined)[]; step: number };

/** The most probable speaker that neighbouring windows find in a step beside the others. */
function findInNeighbours(
  neighbours: readonly LabelledWindow[],
  { others, step }: Others,
): number | undefined {
  const active = neighbours.flatMap((window) => listVoices(window, step));
  return pickProbable(active).find(({ speaker }) => !others.includes(speaker))?.speaker;
}

/** Who speaks the segment nearest to a step. */
function findNearest(
  segments: readonly LabelledSegment[],
  { step, others = [], reach = Number.POSITIVE_INFINITY }: Partial<Others> & { step: number; reach?: number },
): number | undefined {
  const distanceTo = ({ from, to }: LabelledSegment) => Math.max(0, from - step, step - to + 1);
  let nearest: LabelledSegment | undefined;
  for (const segment of segments) {
    if (others.includes(segment.speaker) || distanceTo(segment) > reach) continue;
    if (nearest === undefined || distanceTo(segment) < distanceTo(nearest)) nearest = segment;
  }
  return nearest?.speaker;
}

/** Records the most probable speaker, and the next most probable one as overlapping. */
function recordStep(turns: Turns, step: number, voices: readonly ActiveVoice[]): void {
  const [first, ...others] = pickProbable(voices);
  if (first === undefined) return;
  turns.speakers[step] = first.speaker;
  turns.confidence[step] = first.probability;
  turns.overlapping[step] = others.find(({ speaker }) => speaker !== first.speaker)?.speaker ?? NO_SPEAKER;
}

/** Voices with a label, the most probable first. */
function pickProbable(voices: readonly ActiveVoice[]): { probability: number; speaker: number }[] {
  return voices
    .flatMap(({ speaker, probability }) => (speaker === undefined ? [] : [{ speaker, probability }]))
    .sort((a, b) => b.probability - a.probability);
}
