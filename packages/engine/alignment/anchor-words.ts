import type { TimeSpan } from "../text/fill-times.ts";
import type { TimedWord } from "../text/timed-text.ts";
import {
  alignCharacters,
  listRecognisedLetters,
  listWrittenLetters,
  MIN_CONFIDENCE,
  type RecognisedLetters,
  RUN_LETTERS,
  type WrittenLetters,
} from "./align-characters.ts";
import { type EstimatedSpan, estimateWordTimes, type LetterSpan } from "./estimate-word-times.ts";

/** A longer pause ends a run of words. */
const RUN_PAUSE_SECONDS = 3;
/** The share of the shorter text that both must have in common to be of the same recording. */
const MIN_COMMON = 0.1;
/** Letters that a recognised word may have beyond the written one: "je sais" for "j'sais". */
const MORE_LETTERS = 2;

export type Anchors = {
  /** For each word of the text, where it was recognised; undefined if another or none was. */
  recognised: (TimedWord | undefined)[];
  /** Roughly where each word is sung or said, recognised or not; undefined for words that the recording seems not to have. */
  estimated: (EstimatedSpan | undefined)[];
  /** Whether text and recording appear to belong together. */
  isFitting: boolean;
};

/** Matches the words of a text with those recognised in the recording, letter by letter; `unrecognised` is voice without words. */
export function anchorWords(
  text: readonly string[],
  spoken: readonly TimedWord[],
  unrecognised: readonly TimeSpan[] = [],
): Anchors {
  const written = listWrittenLetters(text);
  const recognised = listRecognisedLetters(spoken, unrecognised);
  const partners = alignCharacters(written, recognised);
  const words = listLetterSpans(written, text.length);
  const same = words.map((span, word) =>
    findSame(text[word] ?? "", span, { written, recognised, partners, spoken }),
  );
  const kept = keepRuns(same, words, { isWhole: (letters) => letters === written.letters.length });
  const commonLetters = kept.reduce((sum, word, n) => sum + (word === undefined ? 0 : lengthOf(words[n])), 0);
  const knownLetters = recognised.words.reduce((sum, word) => sum + (word < 0 ? 0 : 1), 0);
  const shorterLetters = Math.min(written.letters.length, knownLetters);
  return {
    recognised: kept,
    estimated: estimateWordTimes(words, { written, recognised, partners }),
    isFitting: commonLetters > 0 && commonLetters >= MIN_COMMON * shorterLetters,
  };
}

const lengthOf = (span: LetterSpan | undefined) => (span === undefined ? 0 : span.end - span.start);

/** First letter and last + 1 of each word. */
function listLetterSpans({ words }: WrittenLetters, count: number): LetterSpan[] {
  const spans = Array.from({ length: count }, () => ({ start: 0, end: 0 }));
  words.forEach((word, letter) => {
    const span = spans[word];
    if (span === undefined) return;
    if (span.end === 0) span.start = letter;
    span.end = letter + 1;
  });
  return spans;
}

/** The word as it was recognised: the same letters, from the start of a recognised word to the end of one. */
function findSame(
  text: string,
  { start, end }: LetterSpan,
  {
    written,
    recognised,
    partners,
    spoken,
  }: {
    written: WrittenLetters;
    recognised: RecognisedLetters;
    partners: Int32Array;
    spoken: readonly TimedWord[];
  },
): TimedWord | undefined {
  if (end === start) return undefined;
  const [first, last] = [partners[start] ?? -1, partners[end - 1] ?? -1];
  if (first < 0 || last < 0 || last - first - (end - 1 - start) > MORE_LETTERS) return undefined;
  for (let letter = start; letter < end; letter++) {
    const partner = partners[letter] ?? -1;
    if (partner < 0 || recognised.letters[partner] !== written.letters[letter]) return undefined;
  }
  const isFromStart = (recognised.starts[first] ?? 0) > 0;
  const isToEnd =
    last + 1 === recognised.words.length || recognised.words[last + 1] !== recognised.words[last];
  const parts = spoken.slice(recognised.words[first], (recognised.words[last] ?? 0) + 1);
  const confidence = Math.min(...parts.map((part) => part.confidence));
  if (!isFromStart || !isToEnd || confidence < MIN_CONFIDENCE) return undefined;
  const { startSeconds = 0 } = parts[0] ?? {};
  const { endSeconds = 0 } = parts.at(-1) ?? {};
  return { text, startSeconds, endSeconds, confidence };
}

/** Leaves out runs of so few letters that they may be chance, unless they are all there is. */
function keepRuns(
  same: readonly (TimedWord | undefined)[],
  words: readonly LetterSpan[],
  { isWhole }: { isWhole(letters: number): boolean },
): (TimedWord | undefined)[] {
  const kept = [...same];
  let run: number[] = [];
  const endRun = () => {
    const letters = run.reduce((sum, word) => sum + lengthOf(words[word]), 0);
    if (letters < RUN_LETTERS && !isWhole(letters)) for (const word of run) kept[word] = undefined;
    run = [];
  };
  same.forEach((word, n) => {
    if (lengthOf(words[n]) === 0) return;
    const last = same[run.at(-1) ?? -1];
    if (word === undefined || (last && word.startSeconds - last.endSeconds > RUN_PAUSE_SECONDS)) endRun();
    if (word !== undefined) run.push(n);
  });
  endRun();
  return kept;
}
