import type { TimeSpan } from "../text/fill-times.ts";
import { findCommonRuns } from "../text/match-words.ts";
import { normaliseWord } from "../text/normalise-word.ts";
import type { TimedWord } from "../text/timed-text.ts";
import {
  type LetterRow,
  LINE_STARTS,
  matchLetters,
  type RecognisedRow,
  UNKNOWN_LETTER,
  WORD_STARTS,
} from "./match-letters.ts";

/** The letters of a text, and the word of each. */
export type WrittenLetters = LetterRow & { words: Int32Array };

/** The letters of a recording in order of time: those of recognised words, and unknown ones where a voice was not understood. */
export type RecognisedLetters = RecognisedRow & {
  /** The recognised word of each; −1 for an unknown letter. */
  words: Int32Array;
  startSeconds: Float64Array;
  endSeconds: Float64Array;
};

/** Letters are compared one by one up to this product, a byte each: songs of eight minutes. */
const BLOCK_CELLS = 2 ** 24;
/** A run of this many letters ("in the middle") is hardly shared by chance. */
export const RUN_LETTERS = 8;
/** The time of a less confident word can't be trusted. */
export const MIN_CONFIDENCE = 0.35;
/** If nothing was recognised, as people speak. */
const USUAL_LETTERS_PER_SECOND = 12;

export function listWrittenLetters(text: readonly string[]): WrittenLetters {
  const words = text.map((word) => Array.from(normaliseWord(word)));
  const isLineStart = (word: number) => word === 0 || /[\n\r\u2028\u2029]/u.test(text[word - 1] ?? "");
  const startOf = (word: number) => (isLineStart(word) ? LINE_STARTS : WORD_STARTS);
  return {
    letters: Int32Array.from(words.flatMap((letters) => letters.map(toCode))),
    starts: Uint8Array.from(
      words.flatMap((letters, word) => letters.map((_, n) => (n === 0 ? startOf(word) : 0))),
    ),
    words: Int32Array.from(words.flatMap((letters, word) => letters.map(() => word))),
  };
}

/** Unrecognised voice counts as letters at the rate of the recognised words. */
export function listRecognisedLetters(
  spoken: readonly TimedWord[],
  unrecognised: readonly TimeSpan[],
): RecognisedLetters {
  type Row = { letter: number; isStart: boolean; word: number } & TimeSpan;
  const known = spoken.flatMap(({ text, ...span }, word): Row[] => {
    const letters = Array.from(normaliseWord(text));
    return letters.map((letter, n) => ({
      letter: toCode(letter),
      isStart: n === 0,
      word,
      ...takeShare(span, n, letters.length),
    }));
  });
  const knownSeconds = spoken.reduce(
    (sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds,
    0,
  );
  const rate = known.length > 0 && knownSeconds > 0 ? known.length / knownSeconds : USUAL_LETTERS_PER_SECOND;
  const unknown = unrecognised.flatMap((span): Row[] => {
    const length = Math.round((span.endSeconds - span.startSeconds) * rate);
    return Array.from({ length }, (_, n) => ({
      letter: UNKNOWN_LETTER,
      isStart: false,
      word: -1,
      ...takeShare(span, n, length),
    }));
  });
  const rows = [...known, ...unknown].sort((a, b) => a.startSeconds - b.startSeconds);
  return {
    letters: Int32Array.from(rows, (row) => row.letter),
    starts: Uint8Array.from(rows, (row) => (row.isStart ? WORD_STARTS : 0)),
    isDoubtful: Uint8Array.from(rows, ({ word }) =>
      (spoken[word]?.confidence ?? 0) < MIN_CONFIDENCE ? 1 : 0,
    ),
    words: Int32Array.from(rows, (row) => row.word),
    startSeconds: Float64Array.from(rows, (row) => row.startSeconds),
    endSeconds: Float64Array.from(rows, (row) => row.endSeconds),
  };
}

/** For each letter of the text the recognised one that it goes with, or −1. */
export function alignCharacters(written: WrittenLetters, recognised: RecognisedLetters): Int32Array {
  const partners = new Int32Array(written.letters.length).fill(-1);
  let from = { written: 0, recognised: 0 };
  const pairBlock = (until: { written: number; recognised: number }) => {
    const [rows, columns] = [until.written - from.written, until.recognised - from.recognised];
    if (rows <= 0 || columns <= 0 || rows * columns > BLOCK_CELLS) return;
    const part = <Row extends LetterRow | RecognisedRow>(row: Row, start: number, end: number): Row => ({
      ...row,
      letters: row.letters.subarray(start, end),
      starts: row.starts.subarray(start, end),
      ...("isDoubtful" in row ? { isDoubtful: row.isDoubtful.subarray(start, end) } : {}),
    });
    const found = matchLetters(
      part(written, from.written, until.written),
      part(recognised, from.recognised, until.recognised),
    );
    found.forEach((partner, n) => {
      if (partner >= 0) partners[from.written + n] = from.recognised + partner;
    });
  };
  const end = { written: written.letters.length, recognised: recognised.letters.length };
  const isSmall = end.written * end.recognised <= BLOCK_CELLS;
  for (const run of isSmall ? [] : listRuns(written, recognised)) {
    pairBlock({ written: run.first, recognised: run.second });
    for (let n = 0; n < run.length; n++) partners[run.first + n] = run.second + n;
    from = { written: run.first + run.length, recognised: run.second + run.length };
  }
  pairBlock(end);
  return partners;
}

/** Words of the runs that a long text and its transcript have in common, in letters: they part it into blocks. */
function listRuns(written: WrittenLetters, recognised: RecognisedLetters) {
  const [one, other] = [joinLetters(written), joinLetters(recognised)];
  const runs = findCommonRuns(
    one.map(({ text }) => text),
    other.map(({ text }) => text),
  );
  return runs.flatMap((run) => {
    const words = one.slice(run.first, run.first + run.length);
    if (words.reduce((sum, { length }) => sum + length, 0) < RUN_LETTERS) return [];
    return words.map(({ start, length }, n) => ({
      first: start,
      second: other[run.second + n]?.start ?? 0,
      length,
    }));
  });
}

/** Back to words, each with its first letter. */
function joinLetters({ letters, starts, words }: LetterRow & { words: Int32Array }) {
  const joined: { text: string; start: number; length: number }[] = [];
  letters.forEach((letter, start) => {
    if (letter === UNKNOWN_LETTER || (words[start] ?? -1) < 0) return;
    if ((starts[start] ?? 0) > 0) joined.push({ text: "", start, length: 0 });
    const last = joined.at(-1);
    if (last === undefined) return;
    last.text += String.fromCodePoint(letter);
    last.length++;
  });
  return joined;
}

const toCode = (letter: string) => letter.codePointAt(0) ?? UNKNOWN_LETTER;

function takeShare({ startSeconds, endSeconds }: TimeSpan, n: number, count: number): TimeSpan {
  const at = (part: number) => startSeconds + ((endSeconds - startSeconds) * part) / count;
  return { startSeconds: at(n), endSeconds: at(n + 1) };
}
