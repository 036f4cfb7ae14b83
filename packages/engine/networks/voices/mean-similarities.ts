import { findSimilarity } from "./merge-groups.ts";

/** Windows nearer than this have sound in common, and say nothing about each other. */
const NEAR_SECONDS = 1.4;

/** Mean similarities within and between groups of windows, without pairs that have sound in common. */
export class MeanSimilarities {
  readonly #sums: Float64Array[];
  readonly #sizes: number[];
  /** Of the pairs of near windows: their similarities and how many there are, by group and group. */
  readonly #near: { sum: Float64Array[]; count: Float64Array[] };

  /** Windows in the order of their starts. */
  constructor(
    windows: readonly { embedding: Float32Array; startSeconds: number }[],
    groups: readonly (readonly number[])[],
  ) {
    this.#sums = groups.map((group) => sumUp(group.map((index) => windows[index]!.embedding)));
    this.#sizes = groups.map((group) => group.length);
    const makeTable = () => groups.map(() => new Float64Array(groups.length));
    this.#near = { sum: makeTable(), count: makeTable() };
    const groupOf = new Int32Array(windows.length);
    groups.forEach((group, number) => {
      for (const index of group) groupOf[index] = number;
    });
    for (let a = 0; a < windows.length; a++) {
      const limit = windows[a]!.startSeconds + NEAR_SECONDS;
      for (let b = a; b < windows.length && windows[b]!.startSeconds < limit; b++)
        this.#addNear(groupOf[a]!, groupOf[b]!, {
          similarity: findSimilarity(windows[a]!.embedding, windows[b]!.embedding),
          times: a === b ? 1 : 2,
        });
    }
  }

  /** Of two groups, or within one; nothing where all their windows are near. */
  find(a: number, b: number): number | undefined {
    const pairs = this.#sizes[a]! * this.#sizes[b]! - this.#near.count[a]![b]!;
    return pairs < 0.5 ? undefined : (this.#sumPairs(a, b) - this.#near.sum[a]![b]!) / pairs;
  }

  /** The same with near windows. */
  findOfAll(a: number, b: number): number {
    return this.#sumPairs(a, b) / (this.#sizes[a]! * this.#sizes[b]!);
  }

  /** The second becomes part of the first. */
  merge(a: number, b: number): void {
    this.#sums[a] = this.#sums[a]!.map((value, n) => value + this.#sums[b]![n]!);
    this.#sizes[a]! += this.#sizes[b]!;
    for (const table of [this.#near.sum, this.#near.count]) {
      for (let other = 0; other < table.length; other++) table[a]![other]! += table[b]![other]!;
      for (let other = 0; other < table.length; other++) table[other]![a]! += table[other]![b]!;
    }
  }

  #sumPairs(a: number, b: number): number {
    return this.#sums[a]!.reduce((total, value, n) => total + value * this.#sums[b]![n]!, 0);
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
}

function sumUp(vectors: readonly Float32Array[]): Float64Array {
  const sum = new Float64Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) for (let n = 0; n < sum.length; n++) sum[n]! += vector[n]!;
  return sum;
}
