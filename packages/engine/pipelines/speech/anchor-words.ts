import { type CommonRun, findCommonRuns } from "../../text/match-words.ts";
import { normaliseWord } from "../../text/normalise-word.ts";
import type { TimedWord } from "../../text/timed-text.ts";

/** A run of this many letters ("in the middle") is hardly shared by chance. */
const ROW_LETTERS = 8;
/** A longer pause ends a run of words. */
const ROW_PAUSE_SECONDS = 3;
/** The time of a less confident word can't be trusted. */
const LEAST_CONFIDENCE = 0.35;
/** The share of the shorter text that both must have in common to be of the same recording. */
const LEAST_COMMON = 0.1;

export type Anchors = {
  /** For each word of the text, the matching recognised word; undefined if another or none was recognised. */
  heard: (TimedWord | undefined)[];
  /** Whether text and recording appear to belong together. */
  isFitting: boolean;
};

/** Matches the words of a text with those recognised in the recording. */
export function anchorWords(text: readonly string[], spoken: readonly TimedWord[]): Anchors {
  const written = listSounded(text);
  const said = listSounded(spoken.map((word) => word.text));
  const heard: (TimedWord | undefined)[] = text.map(() => undefined);
  let commonLetters = 0;
  const isReliable = (place: number) =>
    (spoken[said.places[place] ?? 0]?.confidence ?? 0) >= LEAST_CONFIDENCE;
  const pauseBefore = (place: number) =>
    (spoken[said.places[place] ?? 0]?.startSeconds ?? 0) -
    (spoken[said.places[place - 1] ?? 0]?.endSeconds ?? 0);
  const runs = findCommonRuns(written.words, said.words).flatMap((run) =>
    partRun(run, { isReliable, pauseBefore }),
  );
  for (const run of runs) {
    const letters = countLetters(written.words.slice(run.first, run.first + run.length));
    const isWhole = run.length === written.words.length || run.length === said.words.length;
    if (letters < ROW_LETTERS && !isWhole) continue;
    commonLetters += letters;
    for (let n = 0; n < run.length; n++) {
      heard[written.places[run.first + n] ?? 0] = spoken[said.places[run.second + n] ?? 0];
    }
  }
  const shorterLetters = Math.min(countLetters(written.words), countLetters(said.words));
  return { heard, isFitting: commonLetters > 0 && commonLetters >= LEAST_COMMON * shorterLetters };
}

/** Splits a run at pauses. */
function partRun(
  run: CommonRun,
  heard: { isReliable(place: number): boolean; pauseBefore(place: number): number },
): CommonRun[] {
  const parts: CommonRun[] = [];
  let isOpen = false;
  for (let n = 0; n < run.length; n++) {
    const [first, second] = [run.first + n, run.second + n];
    const last = parts.at(-1);
    if (!heard.isReliable(second)) isOpen = false;
    else if (isOpen && last && heard.pauseBefore(second) <= ROW_PAUSE_SECONDS) last.length++;
    else {
      parts.push({ first, second, length: 1 });
      isOpen = true;
    }
  }
  return parts;
}

/** Words normalised for comparison, with their indices; punctuation is left out. */
function listSounded(words: readonly string[]): { words: string[]; places: number[] } {
  const places: number[] = [];
  const normalised = words.map(normaliseWord);
  normalised.forEach((word, place) => {
    if (word !== "") places.push(place);
  });
  return { words: places.map((place) => normalised[place] ?? ""), places };
}

function countLetters(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + word.length, 0);
}
