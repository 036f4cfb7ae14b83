import { findSimilarity, type HeardVoice, mergeGroups } from "./merge-groups.ts";

/** From as many groups on as this, each merge is looked at. */
const FIRST_GROUPS = 16;
/** Windows nearer than this have sound in common, and say nothing about each other. */
const NEAR_SECONDS = 1.4;
/** Shorter ones are heard too badly to count by, where there are others. */
const SHORTEST_SECONDS = 0.5;
const FEWEST_WINDOWS = 4;
/** How alike windows of one person usually are, and how many windows of a group it takes to say otherwise. */
const USUAL_SIMILARITY = 0.45;
const USUAL_WINDOWS = 3;
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

type Group = { sum: Float64Array; windows: number; speechSeconds: number };

/**
 * How many people speak for at least so long: groups of windows become one, the most alike first, down to the number at which the odds of all merges before
 * and against all merges behind are best.
 */
export function countPeople(voices: readonly HeardVoice[], leastSpeechSeconds: number): number {
  const heard = pickClear(voices);
  if (heard.length < 2) return heard.length;
  const steadiness = findSteadiness(heard);
  const groups = new GroupTable(heard, groupFirst(heard));
  const countLasting = () =>
    groups.list().filter(({ speechSeconds }) => speechSeconds >= leastSpeechSeconds).length;
  let [evidence, best, count] = [0, 0, countLasting()];
  while (groups.list().length > 1) {
    const odds = findOdds(groups.mergeNearest(), steadiness);
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

/** How alike the windows before and behind a window are, in the median: what a recording's noise and changes of the speaker make of one voice. */
function findSteadiness(heard: readonly HeardVoice[]): number {
  const touches = (a: HeardVoice | undefined, b: HeardVoice | undefined) =>
    a !== undefined && b !== undefined && b.startSeconds < a.endSeconds;
  const all = heard.map((voice, n) => {
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
  const sorted = all.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.floor(sorted.length / 2)]!) / 2;
}

function groupFirst(heard: readonly HeardVoice[]): number[][] {
  let groups = heard.map((_, index) => [index]);
  let left = heard.length;
  if (left <= FIRST_GROUPS) return groups;
  mergeGroups(heard, (merged) => {
    left -= 1;
    if (left > FIRST_GROUPS) return true;
    groups = merged();
    return false;
  });
  return groups;
}

type Merge = { similarity: number; within: readonly [number, number]; seconds: readonly [number, number] };

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

/** Mean similarities within and between groups, without windows that lie over each other. */
class GroupTable {
  readonly #groups: (Group | undefined)[];
  /** Of the pairs of near windows: their similarities and how many there are, by group and group. */
  readonly #near: { sum: Float64Array[]; count: Float64Array[] };

  constructor(heard: readonly HeardVoice[], groups: readonly number[][]) {
    this.#groups = groups.map((group) => sumUp(group.map((index) => heard[index]!)));
    const makeTable = () => groups.map(() => new Float64Array(groups.length));
    this.#near = { sum: makeTable(), count: makeTable() };
    const groupOf = new Int32Array(heard.length);
    groups.forEach((group, number) => {
      for (const index of group) groupOf[index] = number;
    });
    for (let a = 0; a < heard.length; a++) {
      const limit = heard[a]!.startSeconds + NEAR_SECONDS;
      for (let b = a; b < heard.length && heard[b]!.startSeconds < limit; b++)
        this.#addNear(groupOf[a]!, groupOf[b]!, {
          similarity: findSimilarity(heard[a]!.embedding, heard[b]!.embedding),
          times: a === b ? 1 : 2,
        });
    }
  }

  list(): Group[] {
    return this.#groups.filter((group) => group !== undefined);
  }

  /** Makes the two most similar groups one. */
  mergeNearest(): Merge {
    let nearest = { a: -1, b: -1, similarity: Number.NEGATIVE_INFINITY };
    for (let a = 0; a < this.#groups.length; a++) {
      for (let b = 0; b < a; b++) {
        if (!this.#groups[a] || !this.#groups[b]) continue;
        const similarity = this.#compare(a, b);
        if (similarity > nearest.similarity) nearest = { a, b, similarity };
      }
    }
    const { a, b, similarity } = nearest;
    const [kept, gone] = [this.#groups[a]!, this.#groups[b]!];
    const merge = {
      similarity,
      within: [this.#findWithin(a), this.#findWithin(b)],
      seconds: [kept.speechSeconds, gone.speechSeconds],
    } as const;
    this.#groups[a] = {
      sum: kept.sum.map((value, n) => value + gone.sum[n]!),
      windows: kept.windows + gone.windows,
      speechSeconds: kept.speechSeconds + gone.speechSeconds,
    };
    this.#groups[b] = undefined;
    for (const table of [this.#near.sum, this.#near.count]) {
      for (let other = 0; other < table.length; other++) table[a]![other]! += table[b]![other]!;
      for (let other = 0; other < table.length; other++) table[other]![a]! += table[other]![b]!;
    }
    return merge;
  }

  #addNear(a: number, b: number, { similarity, times }: { similarity: number; times: number }): void {
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      this.#near.sum[from]![to]! += (times * similarity) / 2;
      this.#near.count[from]![to]! += times / 2;
    }
  }

  #compare(a: number, b: number): number {
    const [first, second] = [this.#groups[a]!, this.#groups[b]!];
    const pairs = first.windows * second.windows - this.#near.count[a]![b]!;
    if (pairs < 0.5) return USUAL_SIMILARITY;
    const sum = first.sum.reduce((total, value, n) => total + value * second.sum[n]!, 0);
    return (sum - this.#near.sum[a]![b]!) / pairs;
  }

  #findWithin(group: number): number {
    const { windows } = this.#groups[group]!;
    return (
      (this.#compare(group, group) * windows + USUAL_SIMILARITY * USUAL_WINDOWS) / (windows + USUAL_WINDOWS)
    );
  }
}

function sumUp(voices: readonly HeardVoice[]): Group {
  const sum = new Float64Array(voices[0]?.embedding.length ?? 0);
  for (const { embedding } of voices) for (let n = 0; n < sum.length; n++) sum[n]! += embedding[n]!;
  const speechSeconds = voices.reduce((total, voice) => total + voice.speechSeconds, 0);
  return { sum, windows: voices.length, speechSeconds };
}
