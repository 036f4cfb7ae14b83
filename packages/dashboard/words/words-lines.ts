import type { TimedLine, TimedWord } from "@stemwright/sdk";

/** Lines of words being edited; immutable, so that the view knows what changed. */
export type WordsLine = Pick<TimedLine, "speaker"> & { words: readonly TimedWord[] };
export type WordsLines = readonly WordsLine[];

/** A word, by its line and its place in it. */
export type Place = { line: number; word: number };

export const joinLine = ({ words }: WordsLine) => words.map(({ text }) => text).join("");

export const toWordsLines = (lines: readonly TimedLine[]): WordsLines =>
  lines
    .filter(({ words }) => words.length > 0)
    .map(({ words, speaker }) => ({ words, ...(speaker === undefined ? {} : { speaker }) }));

export const startOf = ({ words }: WordsLine) => words[0]?.start ?? 0;
export const endOf = ({ words }: WordsLine) => words.at(-1)?.end ?? 0;

/** The word at a time, or the last one before it; undefined before the first. */
export function findPlace(lines: WordsLines, seconds: number): Place | undefined {
  const line = findLast(lines.length, (index) => startOf(lines[index] as WordsLine) <= seconds);
  const words = lines[line]?.words ?? [];
  const word = findLast(words.length, (index) => (words[index]?.start ?? 0) <= seconds);
  return line < 0 || word < 0 ? undefined : { line, word };
}

/** Binary search: the last index for which a predicate that holds from the start holds; -1 for none. */
export function findLast(count: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** How far a line may extend without touching its neighbours. */
export function findRoom(
  lines: WordsLines,
  line: number,
  durationSeconds: number,
): { start: number; end: number } {
  const [before, behind] = [lines[line - 1], lines[line + 1]];
  return { start: before ? endOf(before) : 0, end: behind ? startOf(behind) : durationSeconds };
}
