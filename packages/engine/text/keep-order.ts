/** A word's place in time, and how much it counts. */
export type WeighedStart = { startSeconds: number; weight: number };

/**
 * Leaves out the words that contradict the order of the others: of all sets whose starts rise, the one that weighs most is kept. So one word
 * found in the wrong place does not move its neighbours. Returns which are kept.
 */
export function keepOrder(words: readonly (WeighedStart | undefined)[]): boolean[] {
  const starts = words
    .flatMap((word) => (word === undefined ? [] : [word.startSeconds]))
    .sort((a, b) => a - b);
  const ranks = new Map(starts.map((start, rank) => [start, rank + 1]));
  const tops = new HeaviestBelow(starts.length);
  const before = words.map((word, index) => {
    if (word === undefined) return undefined;
    const rank = ranks.get(word.startSeconds) ?? 0;
    const last = tops.find(rank);
    tops.put(rank, { index, weight: (last?.weight ?? 0) + word.weight });
    return last?.index;
  });
  const kept = words.map(() => false);
  for (let index = tops.find(starts.length)?.index; index !== undefined; index = before[index]) {
    kept[index] = true;
  }
  return kept;
}

type Chain = { index: number; weight: number };

/** The heaviest chain that ends at or below a rank (Fenwick tree). */
class HeaviestBelow {
  readonly #tops: (Chain | undefined)[];

  constructor(ranks: number) {
    this.#tops = new Array(ranks + 1).fill(undefined);
  }

  find(rank: number): Chain | undefined {
    let best: Chain | undefined;
    for (let at = rank; at > 0; at -= at & -at) {
      const top = this.#tops[at];
      if (top !== undefined && (best === undefined || top.weight > best.weight)) best = top;
    }
    return best;
  }

  put(rank: number, chain: Chain): void {
    for (let at = rank; at < this.#tops.length; at += at & -at) {
      const top = this.#tops[at];
      if (top === undefined || chain.weight > top.weight) this.#tops[at] = chain;
    }
  }
}
