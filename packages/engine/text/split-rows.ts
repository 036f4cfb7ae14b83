import type { CueWord } from "./cue-words.ts";

/** The size of a subtitle: letters per row (half as many in wide scripts), and rows. */
export type CueLimits = { rowWidth: number; rows: number };
/** Cost of a row with a single word next to a longer one, in letters of unevenness. */
const LONE_WORD_COST = 20;
const JOINT_COST = { line: 0, sentence: 2, clause: 4, phrase: 10 } as const;

/** The end, exclusive, of each row. */
export type RowSplit = { ends: readonly number[]; cost: number };

/** Splits runs of one list of words into rows. */
export class RowSplitter {
  readonly #words: readonly CueWord[];
  /** Width of all words and spaces before each word. */
  readonly #widthBefore: Float64Array;
  readonly #limits: CueLimits;

  constructor(words: readonly CueWord[], limits: CueLimits) {
    this.#words = words;
    this.#limits = limits;
    this.#widthBefore = new Float64Array(words.length + 1);
    words.forEach((word, index) => {
      this.#widthBefore[index + 1] = (this.#widthBefore[index] ?? 0) + word.width + word.space.length;
    });
  }

  /** Width of the words from `start` up to `end` on one row. */
  widthOf(start: number, end: number): number {
    const spaceAtEnd = this.#words[end - 1]?.space.length ?? 0;
    return (this.#widthBefore[end] ?? 0) - (this.#widthBefore[start] ?? 0) - spaceAtEnd;
  }

  /** As few and as even rows as possible; undefined if the words do not fit. */
  findSplit(start: number, end: number): RowSplit | undefined {
    for (let rows = 1; rows <= this.#limits.rows; rows++) {
      const split = this.#findEven(start, end, rows);
      if (split) return split;
    }
    return undefined;
  }

  #findEven(start: number, end: number, rows: number): RowSplit | undefined {
    const { rowWidth } = this.#limits;
    if (rows === 1) return this.widthOf(start, end) <= rowWidth ? { ends: [end], cost: 0 } : undefined;
    let best: RowSplit | undefined;
    for (let upperEnd = start + 1; upperEnd < end; upperEnd++) {
      const upper = this.widthOf(start, upperEnd);
      if (upper > rowWidth) break;
      const lower = this.#findEven(upperEnd, end, rows - 1);
      if (lower === undefined) continue;
      const next = this.widthOf(upperEnd, lower.ends[0] ?? end);
      const isLone = end - start > 2 && (upperEnd === start + 1 || upperEnd === end - 1);
      const joint = this.#words[upperEnd - 1]?.joint ?? "phrase";
      const cost = Math.abs(upper - next) + (isLone ? LONE_WORD_COST : 0) + JOINT_COST[joint] + lower.cost;
      if (best === undefined || cost < best.cost) best = { ends: [upperEnd, ...lower.ends], cost };
    }
    return best;
  }

  rowsOf(start: number, { ends }: RowSplit): string[] {
    return ends.map((end, row) => this.#rowOf(ends[row - 1] ?? start, end));
  }

  #rowOf(start: number, end: number): string {
    const texts = this.#words.slice(start, end).map((word) => word.text + word.space);
    return texts.join("").trimEnd();
  }
}
