/** Two groups to be merged, by the indices of their members. */
export type Merge = { kept: readonly number[]; gone: readonly number[] };

/**
 * Weighted average linkage: merges the two most similar groups until one is left. `onMerge` is called before each merge, and can ask for the groups at
 * that point.
 */
export function mergeClusters(
  weights: readonly number[],
  similarity: (a: number, b: number) => number,
  onMerge: (merge: Merge, groups: () => number[][]) => void,
): void {
  const groups: (number[] | undefined)[] = weights.map((_, index) => [index]);
  const table = new SimilarityTable(weights, similarity);
  for (let left = weights.length; left > 1; left--) {
    const { a, b } = table.findBest();
    const [kept, gone] = [groups[a]!, groups[b]!];
    onMerge({ kept, gone }, () => groups.flatMap((group) => (group ? [group.slice()] : [])));
    kept.push(...gone);
    groups[b] = undefined;
    table.merge({ a, b });
  }
}

/** Mean similarities between groups. Each row caches its best partner: of the 2,000 segments of an hour, a merge touches only a few rows. */
class SimilarityTable {
  readonly #count: number;
  readonly #values: Float32Array;
  readonly #weights: Float64Array;
  readonly #best: Int32Array;
  readonly #gone: Uint8Array;

  constructor(weights: readonly number[], similarity: (a: number, b: number) => number) {
    this.#count = weights.length;
    this.#weights = Float64Array.from(weights);
    this.#values = new Float32Array(weights.length ** 2);
    this.#best = new Int32Array(weights.length);
    this.#gone = new Uint8Array(weights.length);
    for (let a = 0; a < this.#count; a++) for (let b = 0; b < a; b++) this.#set(a, b, similarity(a, b));
    for (let row = 0; row < this.#count; row++) this.#findPartner(row);
  }

  findBest(): { a: number; b: number } {
    let a = -1;
    for (let row = 0; row < this.#count; row++) {
      if (!this.#gone[row] && (a < 0 || this.#bestOf(row) > this.#bestOf(a))) a = row;
    }
    return { a, b: this.#best[a]! };
  }

  merge({ a, b }: { a: number; b: number }): void {
    const share = this.#weights[b]! / (this.#weights[a]! + this.#weights[b]!);
    this.#weights[a]! += this.#weights[b]!;
    this.#gone[b] = 1;
    for (let other = 0; other < this.#count; other++) {
      if (this.#gone[other] || other === a) continue;
      this.#set(a, other, (1 - share) * this.#get(a, other) + share * this.#get(b, other));
    }
    this.#findPartner(a);
    for (let row = 0; row < this.#count; row++) {
      if (this.#gone[row] || row === a) continue;
      const partner = this.#best[row]!;
      if (partner === a || partner === b) this.#findPartner(row);
      else if (this.#get(row, a) > this.#bestOf(row)) this.#best[row] = a;
    }
  }

  #findPartner(row: number): void {
    let best = -1;
    for (let other = 0; other < this.#count; other++) {
      if (other === row || this.#gone[other]) continue;
      if (best < 0 || this.#get(row, other) > this.#get(row, best)) best = other;
    }
    this.#best[row] = best;
  }

  #bestOf(row: number): number {
    const partner = this.#best[row]!;
    return partner < 0 ? Number.NEGATIVE_INFINITY : this.#get(row, partner);
  }

  #get(a: number, b: number): number {
    return this.#values[a * this.#count + b]!;
  }

  #set(a: number, b: number, value: number): void {
    this.#values[a * this.#count + b] = value;
    this.#values[b * this.#count + a] = value;
  }
}
