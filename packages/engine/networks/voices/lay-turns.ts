import { type HeardWindow, LEAST_PROBABILITY } from "./hear-windows.ts";
import { findPlace } from "./link-stretches.ts";
import type { StepRun } from "./step-runs.ts";
import { NOBODY, type Turns } from "./turns.ts";

/** A stretch belongs to a place of a window if the place's share is at least this (the squares of all shares sum to 1). */
const LEAST_PLACE = 0.7;

type NamedStretch = StepRun & { person: number };

/**
 * Assigns what is active in a place of a window to the speaker of the nearest stretch in that place. Where nobody is ever heard alone, all of it is one
 * person's.
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
  for (const window of windows) {
    const { probabilities, firstStep, middle } = window;
    const placed = stretches.flatMap((stretch) => {
      const place = findPlace(window, stretch);
      return place === undefined ? [] : [{ stretch, place }];
    });
    const byPlace = probabilities.map((_, at) =>
      placed.flatMap(({ stretch, place }) => (place[at]! > LEAST_PLACE ? [stretch] : [])),
    );
    for (let step = middle.from; step < middle.to; step++) {
      const active = probabilities.flatMap((row, place) => {
        const probability = row[step - firstStep] ?? 0;
        return probability > LEAST_PROBABILITY ? [{ place, probability }] : [];
      });
      turns.heardCount[step] = active.length;
      const heard = active.flatMap(({ place, probability }) => {
        const person = stretches.length === 0 ? 0 : findNearest(byPlace[place]!, step);
        return person === undefined ? [] : [{ person, probability }];
      });
      noteStep(turns, step, heard);
    }
  }
  return turns;
}

function findNearest(stretches: readonly NamedStretch[], step: number): number | undefined {
  const distanceTo = ({ from, to }: NamedStretch) => Math.max(0, from - step, step - to + 1);
  let nearest: NamedStretch | undefined;
  for (const stretch of stretches)
    if (nearest === undefined || distanceTo(stretch) < distanceTo(nearest)) nearest = stretch;
  return nearest?.person;
}

/** Records the most probable speaker, and the next most probable one as overlapping. */
function noteStep(turns: Turns, step: number, heard: { person: number; probability: number }[]): void {
  const [first, ...others] = heard.sort((a, b) => b.probability - a.probability);
  if (first === undefined) return;
  turns.people[step] = first.person;
  turns.confidence[step] = first.probability;
  turns.beside[step] = others.find(({ person }) => person !== first.person)?.person ?? NOBODY;
}
