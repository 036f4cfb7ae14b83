/** Half a second to two of speech, and whom it sounds like. */
export type HeardVoice = {
  /** Of unit length; alike for the same person. */
  embedding: Float32Array;
  speechSeconds: number;
  /** When the window it was heard in begins and ends; neighbours may lie over each other. */
  startSeconds: number;
  endSeconds: number;
};

/** Average linkage: the two most similar groups become one until `onMerge`, told of each such step, has had enough. */
export function mergeGroups(
  voices: readonly HeardVoice[],
  onMerge: (groups: () => number[][], similarity: number) => boolean,
): void {
  const groups: (number[] | undefined)[] = voices.map((_, index) => [index]);
  const table = new SimilarityTable(voices);
  for (let left = voices.length; left > 1; left--) {
    const { a, b, similarity } = table.findBest();
    const [kept, gone] = [groups[a]!, groups[b]!];
    const before = kept.length;
    kept.push(...gone);
    groups[b] = undefined;
    if (!onMerge(() => groups.flatMap((group) => (group ? [group.slice()] : [])), similarity)) return;
    table.merge({ a, b }, { keptSize: before, goneSize: gone.length });
  }
}

/** Mean similarities between groups. Each row knows its best partner: of the 4,800 windows of an hour, a merge touches a few rows only. */
class SimilarityTable {
  readonly #count: number;
  readonly #values: Float32Array;
  readonly #best: Int32Array;
  readonly #gone: Uint8Array;

  constructor(voices: readonly HeardVoice[]) {
    this.#count = voices.length;
    this.#values = new Float32Array(voices.length ** 2);
    this.#best = new Int32Array(voices.length);
    this.#gone = new Uint8Array(voices.length);
    for (let a = 0; a < voices.length; a++) {
      for (let b = 0; b < a; b++) {
        this.#set(a, b, findSimilarity(voices[a]!.embedding, voices[b]!.embedding));
      }
    }
    for (let row = 0; row < this.#count; row++) this.#findPartner(row);
  }

  findBest(): { a: number; b: number; similarity: number } {
    let a = -1;
    for (let row = 0; row < this.#count; row++) {
      if (!this.#gone[row] && (a < 0 || this.#bestOf(row) > this.#bestOf(a))) a = row;
    }
    return { a, b: this.#best[a]!, similarity: this.#bestOf(a) };
  }

  merge({ a, b }: { a: number; b: number }, sizes: { keptSize: number; goneSize: number }): void {
    const share = sizes.goneSize / (sizes.keptSize + sizes.goneSize);
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

/** The cosine of two vectors of unit length. */
export function findSimilarity(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let n = 0; n < a.length; n++) sum += a[n]! * b[n]!;
  return sum;
}
