import { findPlace } from "./same-speaker-links.ts";
import { type HeardWindow, LEAST_PROBABILITY } from "./segment-speakers.ts";
import type { StepRun } from "./step-runs.ts";
import { NOBODY, STEPS_PER_SECOND, type Turns } from "./turns.ts";

/** A stretch belongs to a place of a window if the place's share is at least this (the squares of all shares sum to 1). */
const LEAST_PLACE = 0.7;
/** How much of a stretch tells its place in a window: less than for links between stretches, so that who talks on into a window has a name there. */
const LEAST_STEPS = STEPS_PER_SECOND / 2;
/** A voice that no window hears alone belongs to the nearest of the others who talk alone within this time; with one or two people, at any time. */
const REACH_STEPS = 3 * STEPS_PER_SECOND;

type NamedStretch = StepRun & { person: number };
/** A window, and the stretches in each of its places. */
type NamedWindow = HeardWindow & { placed: NamedStretch[][] };
type HeardVoice = { probability: number; person: number | undefined };

/**
 * Assigns what is active in a place of a window to the speaker of the nearest stretch in that place; if there is none, to whom the windows before and after
 * hear in that step, or else to whoever talks alone shortly before or after. Where nobody is ever heard alone, all of it is one person's.
 */
export function layTurns(
  windows: readonly HeardWindow[],
  stretches: readonly NamedStretch[],
  stepCount: number,
): Turns {
  const turns: Turns = {
    voiceCount: Math.max(Math.min(1, windows.length), ...stretches.map(({ person }) => person + 1)),
    people: new Int8Array(stepCount).fill(NOBODY),
    beside: new Int8Array(stepCount).fill(NOBODY),
    confidence: new Float32Array(stepCount),
    heardCount: new Uint8Array(stepCount),
  };
  const named = windows.map((window) => ({ ...window, placed: sortByPlace(window, stretches) }));
  const reach = turns.voiceCount <= 2 ? Number.POSITIVE_INFINITY : REACH_STEPS;
  for (const [at, window] of named.entries()) {
    const neighbours = [named[at - 1], named[at + 1]].filter((other) => other !== undefined);
    for (let step = window.middle.from; step < window.middle.to; step++) {
      const voices = listVoices(window, step);
      turns.heardCount[step] = voices.length;
      for (const voice of voices) {
        if (stretches.length === 0) voice.person = 0;
        if (voice.person !== undefined) continue;
        const others = voices.map(({ person }) => person);
        voice.person =
          findBeside(neighbours, { others, step }) ?? findNearest(stretches, { others, step, reach });
      }
      noteStep(turns, step, voices);
    }
  }
  return turns;
}

function sortByPlace(window: HeardWindow, stretches: readonly NamedStretch[]): NamedStretch[][] {
  const places = stretches.map((stretch) => findPlace(window, stretch, LEAST_STEPS));
  return window.probabilities.map((_, at) =>
    stretches.filter((_stretch, index) => (places[index]?.[at] ?? 0) > LEAST_PLACE),
  );
}

function listVoices({ probabilities, firstStep, placed }: NamedWindow, step: number): HeardVoice[] {
  return probabilities.flatMap((row, place) => {
    const probability = row[step - firstStep] ?? 0;
    return probability > LEAST_PROBABILITY
      ? [{ probability, person: findNearest(placed[place]!, { step }) }]
      : [];
  });
}

type Others = { others: readonly (number | undefined)[]; step: number };

/** The most probable person that neighbouring windows hear in a step beside the others. */
function findBeside(neighbours: readonly NamedWindow[], { others, step }: Others): number | undefined {
  const heard = neighbours.flatMap((window) => listVoices(window, step));
  return pickProbable(heard).find(({ person }) => !others.includes(person))?.person;
}

/** Who speaks the stretch nearest to a step. */
function findNearest(
  stretches: readonly NamedStretch[],
  { step, others = [], reach = Number.POSITIVE_INFINITY }: Partial<Others> & { step: number; reach?: number },
): number | undefined {
  const distanceTo = ({ from, to }: NamedStretch) => Math.max(0, from - step, step - to + 1);
  let nearest: NamedStretch | undefined;
  for (const stretch of stretches) {
    if (others.includes(stretch.person) || distanceTo(stretch) > reach) continue;
    if (nearest === undefined || distanceTo(stretch) < distanceTo(nearest)) nearest = stretch;
  }
  return nearest?.person;
}

/** Records the most probable speaker, and the next most probable one as overlapping. */
function noteStep(turns: Turns, step: number, voices: readonly HeardVoice[]): void {
  const [first, ...others] = pickProbable(voices);
  if (first === undefined) return;
  turns.people[step] = first.person;
  turns.confidence[step] = first.probability;
  turns.beside[step] = others.find(({ person }) => person !== first.person)?.person ?? NOBODY;
}

/** Voices with a name, the most probable first. */
function pickProbable(voices: readonly HeardVoice[]): { probability: number; person: number }[] {
  return voices
    .flatMap(({ person, probability }) => (person === undefined ? [] : [{ person, probability }]))
    .sort((a, b) => b.probability - a.probability);
}
