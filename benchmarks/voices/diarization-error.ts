export type SpokenSpan = { who: string; startSeconds: number; endSeconds: number };

const STEPS_PER_SECOND = 100;
/** Nothing is counted this near to a border of the reference. */
export const COLLAR_SECONDS = 0.25;

/** Shares of the speaking time that are missed, invented or given to the wrong person; overlap counts for each who speaks. */
export type DiarizationError = { missed: number; invented: number; confused: number; total: number };

/** As NIST's md-eval: nothing is counted within the collar of a reference border, and people are matched so that the least is wrong. */
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
  const [people, voices] = [toRows(truth, stepCount), toRows(found, stepCount)];
  const shared = people.map((person) =>
    voices.map((voice) =>
      count(stepCount, (step) => !isSkipped[step] && person[step] === 1 && voice[step] === 1),
    ),
  );
  let [spoken, missed, invented, both] = [0, 0, 0, 0];
  for (let step = 0; step < stepCount; step++) {
    if (isSkipped[step]) continue;
    const talking = people.filter((person) => person[step]).length;
    const heard = voices.filter((voice) => voice[step]).length;
    spoken += talking;
    missed += Math.max(0, talking - heard);
    invented += Math.max(0, heard - talking);
    both += Math.min(talking, heard);
  }
  const confused = both - findMostShared(shared);
  const share = (steps: number) => steps / Math.max(1, spoken);
  return {
    missed: share(missed),
    invented: share(invented),
    confused: share(confused),
    total: share(missed + invented + confused),
  };
}

const toStep = (seconds: number) => Math.round(seconds * STEPS_PER_SECOND);
const count = (length: number, isSet: (step: number) => boolean) =>
  Array.from({ length }, (_, step) => step).filter(isSet).length;

function toRows(spans: readonly SpokenSpan[], stepCount: number): Uint8Array[] {
  const rows = new Map<string, Uint8Array>();
  for (const { who, startSeconds, endSeconds } of spans) {
    const row = rows.get(who) ?? new Uint8Array(stepCount);
    rows.set(who, row.fill(1, toStep(startSeconds), toStep(endSeconds)));
  }
  return [...rows.values()];
}

/** At most eight people: every way to match them is tried. */
function findMostShared(shared: readonly number[][], taken: readonly number[] = []): number {
  const [first, ...others] = shared;
  if (first === undefined) return 0;
  const alone = findMostShared(others, taken);
  return first.reduce(
    (most, steps, voice) =>
      taken.includes(voice) ? most : Math.max(most, steps + findMostShared(others, [...taken, voice])),
    alone,
  );
}
