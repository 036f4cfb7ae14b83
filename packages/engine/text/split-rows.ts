import type { CueWord } from "./cue-words.ts";

export const ROW_WIDTH = 42;
/** What a row of one word costs beside a longer one, in letters of unevenness. */
const LONE_WORD_COST = 20;
const JOINT_COST = { line: 0, sentence: 2, clause: 4, phrase: 10 } as const;

/** `upperEnd` is the index behind the upper row's last word; with one row it is the end of the words. */
export type RowSplit = { upperEnd: number; cost: number };

/** Divides runs of one list of words into rows. */
export class RowSplitter {
  readonly #words: readonly CueWord[];
  /** Width of all words and spaces before each word. */
  readonly #widthBefore: Float64Array;

  constructor(words: readonly CueWord[]) {
    this.#words = words;
    this.#widthBefore = new Float64Array(words.length + 1);
    words.forEach((word, index) => {
      this.#widthBefore[index + 1] = (this.#widthBefore[index] ?? 0) + word.width + word.space.length;
    });
  }

  /** Of the words from `start` to before `end` on one row. */
  widthOf(start: number, end: number): number {
    const spaceAtEnd = this.#words[end - 1]?.space.length ?? 0;
    return (this.#widthBefore[end] ?? 0) - (this.#widthBefore[start] ?? 0) - spaceAtEnd;
  }

  /** One row or two even ones; undefined where two rows can't hold the words. */
  findSplit(start: number, end: number): RowSplit | undefined {
    if (this.widthOf(start, end) <= ROW_WIDTH) return { upperEnd: end, cost: 0 };
    let best: RowSplit | undefined;
    for (let upperEnd = start + 1; upperEnd < end; upperEnd++) {
      const [upper, lower] = [this.widthOf(start, upperEnd), this.widthOf(upperEnd, end)];
      if (upper > ROW_WIDTH) break;
      if (lower > ROW_WIDTH) continue;
      const isLone = end - start > 2 && (upperEnd === start + 1 || upperEnd === end - 1);
      const joint = this.#words[upperEnd - 1]?.joint ?? "phrase";
      const cost = Math.abs(upper - lower) + (isLone ? LONE_WORD_COST : 0) + JOINT_COST[joint];
      if (best === undefined || cost < best.cost) best = { upperEnd, cost };
    }
    return best;
  }

  rowsOf(start: number, end: number, { upperEnd }: RowSplit): string[] {
    return upperEnd === end
      ? [this.#rowOf(start, end)]
      : [this.#rowOf(start, upperEnd), this.#rowOf(upperEnd, end)];
  }

  #rowOf(start: number, end: number): string {
    const texts = this.#words.slice(start, end).map((word) => word.text + word.space);
    return texts.join("").trimEnd();
  }
}
