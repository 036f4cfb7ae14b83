import { MeanSimilarities } from "./mean-similarities.ts";
import { type HeardVoice, mergeGroups } from "./merge-groups.ts";

/** From as many groups on as this, each merge is looked at. */
const FIRST_GROUPS = 16;
/** How much of the recording's mean, which has the room and the line in it, is taken off before groups are compared. */
const CENTRED_SHARE = 0.5;
/** How alike windows of one person usually are, and how many windows of a group it takes to say otherwise. */
const USUAL_SIMILARITY = 0.45;
const USUAL_WINDOWS = 3;

type Group = { windows: number; speechSeconds: number };

/** Two groups that become one: how alike they are, each is in itself, and how long they speak. */
export type Merge = {
  similarity: number;
  within: readonly [number, number];
  seconds: readonly [number, number];
};

/** Groups of windows that become one, the most alike first: compared without half of the recording's mean. The odds of a merge are of plain similarities. */
export class GroupTable {
  readonly #groups: (Group | undefined)[];
  readonly #plain: MeanSimilarities;
  readonly #centred: MeanSimilarities;

  constructor(heard: readonly HeardVoice[]) {
    const centred = takeOffMean(heard);
    const groups = groupFirst(centred);
    this.#groups = groups.map((group) => ({
      windows: group.length,
      speechSeconds: group.reduce((total, index) => total + heard[index]!.speechSeconds, 0),
    }));
    this.#plain = new MeanSimilarities(heard, groups);
    this.#centred = new MeanSimilarities(centred, groups);
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
        const similarity = this.#centred.find(a, b) ?? this.#centred.findOfAll(a, b);
        if (similarity > nearest.similarity) nearest = { a, b, similarity };
      }
    }
    const { a, b } = nearest;
    const [kept, gone] = [this.#groups[a]!, this.#groups[b]!];
    const merge = {
      similarity: this.#plain.find(a, b) ?? USUAL_SIMILARITY,
      within: [this.#findWithin(a), this.#findWithin(b)],
      seconds: [kept.speechSeconds, gone.speechSeconds],
    } as const;
    this.#groups[a] = {
      windows: kept.windows + gone.windows,
      speechSeconds: kept.speechSeconds + gone.speechSeconds,
    };
    this.#groups[b] = undefined;
    this.#plain.merge(a, b);
    this.#centred.merge(a, b);
    return merge;
  }

  #findWithin(group: number): number {
    const { windows } = this.#groups[group]!;
    const similarity = this.#plain.find(group, group) ?? USUAL_SIMILARITY;
    return (similarity * windows + USUAL_SIMILARITY * USUAL_WINDOWS) / (windows + USUAL_WINDOWS);
  }
}

function takeOffMean(heard: readonly HeardVoice[]): HeardVoice[] {
  const mean = new Float32Array(heard[0]?.embedding.length ?? 0);
  for (const { embedding } of heard)
    for (let n = 0; n < mean.length; n++) mean[n]! += embedding[n]! / heard.length;
  return heard.map((voice) => {
    const embedding = voice.embedding.map((value, n) => value - CENTRED_SHARE * mean[n]!);
    const length = Math.hypot(...embedding) || 1;
    return { ...voice, embedding: embedding.map((value) => value / length) };
  });
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
