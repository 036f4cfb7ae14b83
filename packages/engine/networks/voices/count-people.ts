import { GroupTable, type Merge } from "./group-table.ts";
import { findSimilarity, type HeardVoice } from "./merge-groups.ts";

/** Shorter ones are heard too badly to count by, where there are others. */
const SHORTEST_SECONDS = 0.5;
const FEWEST_WINDOWS = 4;
/** Windows whose neighbours are less alike than this have a change of the speaker in them, or two at once; they are not counted by where enough others are left. */
const LEAST_STEADINESS = 0.25;
const LEAST_STEADY_SHARE = 0.3;
/** Of neighbours that have half their sound in common: how much more alike that makes them. */
const SHARED_SIMILARITY = 0.25;
/** What a window without neighbours stands for, by its length. */
const LONE_STEADINESS = { least: 0.6, long: 0.3, short: 0.1 };
/** No merge is surer than ten thousand to one. */
const SUREST = Math.log(1e4);

/**
 * Whether two groups are one person's, as the logarithm of the odds: a logistic regression over the merges of 47 generated conversations of development
 * speakers (training/runs/voices.md). The same similarity says less of short groups, and less where neighbouring windows are much alike.
 */
const ODDS = {
  similarity: 6.081,
  ratio: 7.611,
  within: 1.304,
  logShorterSeconds: -1.385,
  logLongerSeconds: -0.731,
  steadiness: -9.03,
  constant: -0.004,
};

/**
 * How many people speak for at least so long: groups of windows become one, the most alike first, down to the number at which the odds of all merges before
 * and against all merges behind are best.
 */
export function countPeople(voices: readonly HeardVoice[], leastSpeechSeconds: number): number {
  const clear = pickClear(voices);
  if (clear.length < 2) return clear.length;
  const steadiness = findSteadiness(clear);
  const heard = pickSteady(clear, steadiness);
  const groups = new GroupTable(heard);
  const countLasting = () =>
    groups.list().filter(({ speechSeconds }) => speechSeconds >= leastSpeechSeconds).length;
  let [evidence, best, count] = [0, 0, countLasting()];
  while (groups.list().length > 1) {
    const odds = findOdds(groups.mergeNearest(), findMedian(steadiness));
    evidence += Math.min(SUREST, Math.max(-SUREST, odds));
    if (evidence > best) [best, count] = [evidence, countLasting()];
  }
  return Math.max(1, count);
}

function pickClear(voices: readonly HeardVoice[]): HeardVoice[] {
  const inOrder = voices.toSorted((a, b) => a.startSeconds - b.startSeconds);
  const clear = inOrder.filter(
    ({ startSeconds, endSeconds }) => endSeconds - startSeconds >= SHORTEST_SECONDS,
  );
  return clear.length >= FEWEST_WINDOWS ? clear : inOrder;
}

function pickSteady(clear: readonly HeardVoice[], steadiness: readonly number[]): readonly HeardVoice[] {
  const steady = clear.filter((_, n) => steadiness[n]! > LEAST_STEADINESS);
  return steady.length >= Math.max(FEWEST_WINDOWS, LEAST_STEADY_SHARE * clear.length) ? steady : clear;
}

/** How alike the windows before and behind each window are: what a recording's noise and changes of the speaker make of one voice. */
function findSteadiness(heard: readonly HeardVoice[]): number[] {
  const touches = (a: HeardVoice | undefined, b: HeardVoice | undefined) =>
    a !== undefined && b !== undefined && b.startSeconds < a.endSeconds;
  return heard.map((voice, n) => {
    const [before, behind] = [heard[n - 1], heard[n + 1]];
    if (before && behind && touches(before, voice) && touches(voice, behind))
      return findSimilarity(before.embedding, behind.embedding);
    if (before && touches(before, voice))
      return findSimilarity(before.embedding, voice.embedding) - SHARED_SIMILARITY;
    if (behind && touches(voice, behind))
      return findSimilarity(voice.embedding, behind.embedding) - SHARED_SIMILARITY;
    const isLong = voice.endSeconds - voice.startSeconds >= LONE_STEADINESS.least;
    return isLong ? LONE_STEADINESS.long : LONE_STEADINESS.short;
  });
}

function findMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.floor(sorted.length / 2)]!) / 2;
}

function findOdds({ similarity, within: [a, b], seconds }: Merge, steadiness: number): number {
  return (
    ODDS.similarity * similarity +
    (ODDS.ratio * similarity) / Math.sqrt(a * b) +
    ODDS.within * (a + b) +
    ODDS.logShorterSeconds * Math.log(Math.min(...seconds)) +
    ODDS.logLongerSeconds * Math.log(Math.max(...seconds)) +
    ODDS.steadiness * steadiness +
    ODDS.constant
  );
}
