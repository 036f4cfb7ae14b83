/** What one window says about when each of its voices speaks. */
export type HeardWindow = {
  /** In steps of the activity network, from the start of the recording. */
  firstStep: number;
  /** One row a local voice: how likely it speaks in each step. */
  activity: readonly Float32Array[];
  /** The person behind each row. */
  voices: readonly number[];
};

/** Rows of probabilities, one a person, over the whole recording. */
export function joinActivity(
  windows: readonly HeardWindow[],
  { voiceCount, stepCount }: { voiceCount: number; stepCount: number },
): Float32Array[] {
  const sums = Array.from({ length: voiceCount }, () => new Float32Array(stepCount));
  const weights = new Float32Array(stepCount);
  for (const { firstStep, activity, voices } of windows) {
    const length = Math.min(activity[0]?.length ?? 0, stepCount - firstStep);
    for (let step = 0; step < length; step++) {
      const weight = Math.min(step + 1, length - step);
      weights[firstStep + step]! += weight;
      activity.forEach((row, local) => {
        sums[voices[local]!]![firstStep + step]! += weight * row[step]!;
      });
    }
  }
  for (const row of sums) {
    for (let step = 0; step < stepCount; step++) {
      // Two local voices of one person may speak at once for a moment.
      row[step] = weights[step] === 0 ? 0 : Math.min(1, row[step]! / weights[step]!);
    }
  }
  return sums;
}
