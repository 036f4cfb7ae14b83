import { type HeardWindow, LEAST_PROBABILITY } from "./hear-windows.ts";
import { findPlace } from "./link-stretches.ts";
import type { StepRun } from "./step-runs.ts";
import { NOBODY, type Turns } from "./turns.ts";

/** A stretch is in a place of a window that has at least this much of it (the squares of all places add up to 1). */
const LEAST_PLACE = 0.7;

type NamedStretch = StepRun & { person: number };

/** Who speaks when: what is heard in a place of a window is said by whom the nearest stretch in that place is of. */
export function layTurns(
  windows: readonly HeardWindow[],
  stretches: readonly NamedStretch[],
  stepCount: number,
): Turns {
  const turns: Turns = {
    voiceCount: Math.max(0, ...stretches.map(({ person }) => person + 1)),
    people: new Int8Array(stepCount).fill(NOBODY),
    beside: new Int8Array(stepCount).fill(NOBODY),
    confidence: new Float32Array(stepCount),
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
      const heard = probabilities.flatMap((row, at) => {
        const probability = row[step - firstStep] ?? 0;
        const person = findNearest(byPlace[at]!, step);
        return probability > LEAST_PROBABILITY && person !== undefined ? [{ person, probability }] : [];
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

/** The surest first, and beside it the surest of somebody else. */
function noteStep(turns: Turns, step: number, heard: { person: number; probability: number }[]): void {
  const [first, ...others] = heard.sort((a, b) => b.probability - a.probability);
  if (first === undefined) return;
  turns.people[step] = first.person;
  turns.confidence[step] = first.probability;
  turns.beside[step] = others.find(({ person }) => person !== first.person)?.person ?? NOBODY;
}
