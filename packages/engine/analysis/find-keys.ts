import { findLikeliestStates, toRuns } from "./likeliest-course.ts";

const KEYS = 24;
/** Evidence it takes to change the key; a key that is 10 % likelier for 20 s is not enough. */
const CHANGE_COST = 60;

export type KeyPart = { firstStep: number; endStep: number; key: number; confidence: number };

/** Keys in order; `logProbabilities` has a row of 24 per step. Steps without harmony weigh nothing. */
export function findKeys(logProbabilities: Float32Array, isHarmony: Uint8Array): KeyPart[] {
  const weighed = logProbabilities.map((value, at) => value * isHarmony[Math.floor(at / KEYS)]!);
  const states = findLikeliestStates(weighed, { stateCount: KEYS, changeCosts: CHANGE_COST });
  return toRuns(states).map(({ state, start, end }) => {
    let [sum, count] = [0, 0];
    for (let step = start; step < end; step++) {
      if (isHarmony[step] === 0) continue;
      sum += Math.exp(logProbabilities[step * KEYS + state]!);
      count += 1;
    }
    return { firstStep: start, endStep: end, key: state, confidence: count === 0 ? 0 : sum / count };
  });
}
