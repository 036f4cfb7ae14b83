import { findLocalSpeaker } from "./same-speaker-links.ts";
import { MIN_PROBABILITY, type SegmentedWindow } from "./segment-speakers.ts";
import type { StepRun } from "./step-runs.ts";
import { NOBODY, STEPS_PER_SECOND, type Turns } from "./turns.ts";

/** A segment belongs to a localSpeaker of a window if the localSpeaker's share is at least this (the squares of all shares sum to 1). */
const MIN_LINK = 0.7;
/** How much of a segment tells its localSpeaker in a window: less than for links between segments, so that who talks on into a window has a name there. */
const MIN_STEPS = STEPS_PER_SECOND / 2;
/** A voice that no window has alone belongs to the nearest of the others who talk alone within this time; with one or two people, at any time. */
const REACH_STEPS = 3 * STEPS_PER_SECOND;

type LabelledSegment = StepRun & { person: number };
/** A window, and the segments in each of its places. */
type NamedWindow = SegmentedWindow & { placed: LabelledSegment[][] };
type ActiveVoice = { probability: number; person: number | undefined };

/**
 * Assigns what is active in a localSpeaker of a window to the speaker of the nearest segment in that localSpeaker; if there is none, to whom the windows before and after
 * find in that step, or else to whoever talks alone shortly before or after. Where nobody is ever active alone, all of it is one person's.
 */
export function assignSpeakers(
  windows: readonly SegmentedWindow[],
  segments: readonly LabelledSegment[],
  stepCount: number,
): Turns {
  const turns: Turns = {
    voiceCount: Math.max(Math.min(1, windows.length), ...segments.map(({ person }) => person + 1)),
    people: new Int8Array(stepCount).fill(NOBODY),
    beside: new Int8Array(stepCount).fill(NOBODY),
    confidence: new Float32Array(stepCount),
    activeCount: new Uint8Array(stepCount),
  };
  const labelled = windows.map((window) => ({ ...window, placed: sortByPlace(window, segments) }));
  const reach = turns.voiceCount <= 2 ? Number.POSITIVE_INFINITY : REACH_STEPS;
  for (const [at, window] of labelled.entries()) {
    const neighbours = [labelled[at - 1], labelled[at + 1]].filter((other) => other !== undefined);
    for (let step = window.middle.from; step < window.middle.to; step++) {
      const voices = listVoices(window, step);
      turns.activeCount[step] = voices.length;
      for (const voice of voices) {
        if (segments.length === 0) voice.person = 0;
        if (voice.person !== undefined) continue;
        const others = voices.map(({ person }) => person);
        voice.person =
          findBeside(neighbours, { others, step }) ?? findNearest(segments, { others, step, reach });
      }
      noteStep(turns, step, voices);
    }
  }
  return turns;
}

function sortByPlace(window: SegmentedWindow, segments: readonly LabelledSegment[]): LabelledSegment[][] {
  const places = segments.map((segment) => findLocalSpeaker(window, segment, MIN_STEPS));
  return window.probabilities.map((_, at) =>
    segments.filter((_segment, index) => (places[index]?.[at] ?? 0) > MIN_LINK),
  );
}

function listVoices({ probabilities, firstStep, placed }: NamedWindow, step: number): ActiveVoice[] {
  return probabilities.flatMap((row, localSpeaker) => {
    const probability = row[step - firstStep] ?? 0;
    return probability > MIN_PROBABILITY
      ? [{ probability, person: findNearest(placed[localSpeaker]!, { step }) }]
      : [];
  });
}

type Others = { others: readonly (number | undefined)[]; step: number };

/** The most probable person that neighbouring windows find in a step beside the others. */
function findBeside(neighbours: readonly NamedWindow[], { others, step }: Others): number | undefined {
  const active = neighbours.flatMap((window) => listVoices(window, step));
  return pickProbable(active).find(({ person }) => !others.includes(person))?.person;
}

/** Who speaks the segment nearest to a step. */
function findNearest(
  segments: readonly LabelledSegment[],
  { step, others = [], reach = Number.POSITIVE_INFINITY }: Partial<Others> & { step: number; reach?: number },
): number | undefined {
  const distanceTo = ({ from, to }: LabelledSegment) => Math.max(0, from - step, step - to + 1);
  let nearest: LabelledSegment | undefined;
  for (const segment of segments) {
    if (others.includes(segment.person) || distanceTo(segment) > reach) continue;
    if (nearest === undefined || distanceTo(segment) < distanceTo(nearest)) nearest = segment;
  }
  return nearest?.person;
}

/** Records the most probable speaker, and the next most probable one as overlapping. */
function noteStep(turns: Turns, step: number, voices: readonly ActiveVoice[]): void {
  const [first, ...others] = pickProbable(voices);
  if (first === undefined) return;
  turns.people[step] = first.person;
  turns.confidence[step] = first.probability;
  turns.beside[step] = others.find(({ person }) => person !== first.person)?.person ?? NOBODY;
}

/** Voices with a name, the most probable first. */
function pickProbable(voices: readonly ActiveVoice[]): { probability: number; person: number }[] {
  return voices
    .flatMap(({ person, probability }) => (person === undefined ? [] : [{ person, probability }]))
    .sort((a, b) => b.probability - a.probability);
}
