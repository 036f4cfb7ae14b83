/** A stretch of steps, the end left out. */
export type StepRun = { from: number; to: number };

/** Where a row of steps is set, in stretches. */
export function listRuns(length: number, isSet: (step: number) => boolean): StepRun[] {
  const runs: StepRun[] = [];
  for (let step = 0; step < length; step++) {
    if (!isSet(step)) continue;
    const last = runs.at(-1);
    if (last?.to === step) last.to++;
    else runs.push({ from: step, to: step + 1 });
  }
  return runs;
}

/** The same with pauses up to `most` steps bridged. */
export function bridgePauses(runs: readonly StepRun[], most: number): StepRun[] {
  const bridged: StepRun[] = [];
  for (const { from, to } of runs) {
    const last = bridged.at(-1);
    if (last && from - last.to <= most) last.to = to;
    else bridged.push({ from, to });
  }
  return bridged;
}
