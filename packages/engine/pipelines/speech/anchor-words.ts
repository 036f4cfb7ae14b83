import { findCommonRuns } from "../../text/match-words.ts";
import { normaliseWord } from "../../text/normalise-word.ts";
import type { TimedWord } from "../../text/timed-text.ts";

/** Letters of a row that two texts hardly share by chance: "in the middle". */
const ROW_LETTERS = 8;
/** Least share of the shorter of the two texts that must be common for them to be of the same recording. */
const LEAST_COMMON = 0.1;

export type Anchors = {
  /** For each word of the text, the one that was heard; undefined where another was, or none. */
  heard: (TimedWord | undefined)[];
  /** Whether text and recording belong together as far as the words tell. */
  isFitting: boolean;
};

/** Finds the words of a text among those that were heard in the recording. */
export function anchorWords(text: readonly string[], spoken: readonly TimedWord[]): Anchors {
  const written = listSounded(text);
  const said = listSounded(spoken.map((word) => word.text));
  const heard: (TimedWord | undefined)[] = text.map(() => undefined);
  let commonLetters = 0;
  for (const run of findCommonRuns(written.words, said.words)) {
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

/** Words as they are compared, and where they stand; mere punctuation is left out. */
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
