/**
 * The likeliest sequence of states (Viterbi) where every change of state costs the same: `scores` has a row of log-probabilities per step, `changeCosts` one
 * cost for all steps or one per step.
 */
export function findLikeliestStates(
  scores: Float32Array,
  { stateCount, changeCosts }: { stateCount: number; changeCosts: number | Float32Array },
): Uint8Array {
  const stepCount = scores.length / stateCount;
  const changed = new Uint8Array(scores.length);
  const bestBefore = new Uint8Array(stepCount);
  const totals = new Float64Array(stateCount);
  let best = 0;
  for (let step = 0; step < stepCount; step++) {
    bestBefore[step] = best;
    const cost = typeof changeCosts === "number" ? changeCosts : changeCosts[step]!;
    const jump = totals[best]! - cost;
    best = 0;
    for (let state = 0; state < stateCount; state++) {
      if (jump > totals[state]!) {
        totals[state] = jump;
        changed[step * stateCount + state] = 1;
      }
      totals[state]! += scores[step * stateCount + state]!;
      if (totals[state]! > totals[best]!) best = state;
    }
  }
  const states = new Uint8Array(stepCount);
  let state = best;
  for (let step = stepCount - 1; step >= 0; step--) {
    states[step] = state;
    if (changed[step * stateCount + state] === 1) state = bestBefore[step]!;
  }
  return states;
}

/** Runs of equal states, as steps `[start, end)`. */
export function toRuns(states: ArrayLike<number>): { state: number; start: number; end: number }[] {
  const runs: { state: number; start: number; end: number }[] = [];
  for (let step = 0; step < states.length; step++) {
    const last = runs.at(-1);
    if (last !== undefined && last.state === states[step]) last.end = step + 1;
    else runs.push({ state: states[step]!, start: step, end: step + 1 });
  }
  return runs;
}

/** Logits of rows to log-probabilities. */
export function toLogProbabilities(logits: Float32Array): Float32Array {
  const largest = logits.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const sum = logits.reduce((total, logit) => total + Math.exp(logit - largest), 0);
  return logits.map((logit) => logit - largest - Math.log(sum));
}
