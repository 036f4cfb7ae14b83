import { type CommonRun, findCommonRuns } from "../../text/match-words.ts";
import { normaliseWord } from "../../text/normalise-word.ts";
import type { TimedWord } from "../../text/timed-text.ts";

/** Letters of a row that two texts hardly share by chance: "in the middle". */
const ROW_LETTERS = 8;
/** Words of a row follow each other; behind a longer pause another one begins. */
const ROW_PAUSE_SECONDS = 3;
/** A word that was hardly heard has no time to rely on. */
const LEAST_CONFIDENCE = 0.35;
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

/** The parts of a run that were heard in one go. */
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
