/** A range of steps, end exclusive. */
export type StepRun = { from: number; to: number };

/** The ranges of steps for which `isSet` holds. */
export function listStepRuns(length: number, isSet: (step: number) => boolean): StepRun[] {
  const runs: StepRun[] = [];
  for (let step = 0; step < length; step++) {
    if (!isSet(step)) continue;
    const last = runs.at(-1);
    if (last?.to === step) last.to++;
    else runs.push({ from: step, to: step + 1 });
  }
  return runs;
}

/** Joins runs separated by at most `most` steps. */
export function bridgePauses(runs: readonly StepRun[], most: number): StepRun[] {
  const bridged: StepRun[] = [];
  for (const { from, to } of runs) {
    const last = bridged.at(-1);
    if (last && from - last.to <= most) last.to = to;
    else bridged.push({ from, to });
  }
  return bridged;
}
