/** A part of a recording that contains music. */
export type MusicRegion = { startSeconds: number; endSeconds: number; confidence: number };

/** Cost of a change between music and no music, in log-odds: it takes this much evidence, summed over the steps, to make a region or a gap. */
const CHANGE_COST = 6;
const CERTAIN = 1e-4;

/**
 * The most likely sequence of music and no music given the probabilities (Viterbi over two states). Regions neither overlap nor touch; a region's
 * confidence is the mean probability of its steps.
 */
export function toMusicRegions(
  probabilities: Float32Array,
  { stepSeconds, durationSeconds }: { stepSeconds: number; durationSeconds: number },
): MusicRegion[] {
  const isMusic = findLikeliestCourse(probabilities);
  const regions: MusicRegion[] = [];
  for (let step = 0; step < isMusic.length; step++) {
    if (isMusic[step] !== 1) continue;
    const first = step;
    while (isMusic[step + 1] === 1) step++;
    const steps = probabilities.subarray(first, step + 1);
    regions.push({
      startSeconds: Math.max(0, (first - 0.5) * stepSeconds),
      // The last step stands for all that follows it.
      endSeconds:
        step === isMusic.length - 1 ? durationSeconds : Math.min(durationSeconds, (step + 0.5) * stepSeconds),
      confidence: steps.reduce((sum, value) => sum + value, 0) / steps.length,
    });
  }
  return regions;
}

function findLikeliestCourse(probabilities: Float32Array): Uint8Array {
  const stepCount = probabilities.length;
  /** Back pointers: whether the best path into a state came from the other one; two entries per step. */
  const changed = new Uint8Array(2 * stepCount);
  let without = 0;
  let within = 0;
  for (let step = 0; step < stepCount; step++) {
    const probability = Math.min(1 - CERTAIN, Math.max(CERTAIN, probabilities[step]!));
    if (within - CHANGE_COST > without) changed[2 * step] = 1;
    if (without - CHANGE_COST > within) changed[2 * step + 1] = 1;
    const nextWithout = Math.max(without, within - CHANGE_COST) + Math.log(1 - probability);
    const nextWithin = Math.max(within, without - CHANGE_COST) + Math.log(probability);
    without = nextWithout;
    within = nextWithin;
  }
  const course = new Uint8Array(stepCount);
  let state = within > without ? 1 : 0;
  for (let step = stepCount - 1; step >= 0; step--) {
    course[step] = state;
    if (changed[2 * step + state] === 1) state = 1 - state;
  }
  return course;
}
