import { matchVoices } from "./match-voices.ts";
import { type SpokenSpan, STEPS_PER_SECOND, toRows, toStep } from "./spoken-steps.ts";

/** Nothing is scored this close to a boundary of the reference. */
export const COLLAR_SECONDS = 0.25;

/** Shares of the speaking time that are missed, falsely detected or attributed to the wrong person; overlaps count for each speaker. */
export type DiarizationError = { missed: number; invented: number; confused: number; total: number };

/** Like NIST's md-eval: nothing is scored within the collar of a reference boundary, and speakers are matched optimally. */
export function findDiarizationError(
  truth: readonly SpokenSpan[],
  found: readonly SpokenSpan[],
  { collarSeconds }: { collarSeconds: number },
): DiarizationError {
  const stepCount = Math.ceil(
    STEPS_PER_SECOND * Math.max(0, ...[...truth, ...found].map(({ endSeconds }) => endSeconds)),
  );
  const isSkipped = new Uint8Array(stepCount);
  for (const { startSeconds, endSeconds } of truth) {
    for (const border of [startSeconds, endSeconds])
      isSkipped.fill(1, toStep(Math.max(0, border - collarSeconds)), toStep(border + collarSeconds));
  }
  const [people, voices] = [toRows(truth, stepCount), toRows(found, stepCount)].map((rows) => [
    ...rows.values(),
  ]) as [Uint8Array[], Uint8Array[]];
  let [spoken, missed, invented, both] = [0, 0, 0, 0];
  for (let step = 0; step < stepCount; step++) {
    if (isSkipped[step]) continue;
    const talking = people.filter((person) => person[step]).length;
    const active = voices.filter((voice) => voice[step]).length;
    spoken += talking;
    missed += Math.max(0, talking - active);
    invented += Math.max(0, active - talking);
    both += Math.min(talking, active);
  }
  const { sharedSteps } = matchVoices(people, voices, (step) => !isSkipped[step]);
  const confused = both - sharedSteps;
  const share = (steps: number) => steps / Math.max(1, spoken);
  return {
    missed: share(missed),
    invented: share(invented),
    confused: share(confused),
    total: share(missed + invented + confused),
  };
}
