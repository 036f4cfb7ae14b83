import type { TimeSpan } from "../text/fill-times.ts";
import type { RecognisedLetters, WrittenLetters } from "./align-characters.ts";
import { UNKNOWN_LETTER } from "./match-letters.ts";

/** First letter of a word, and last + 1. */
export type LetterSpan = { start: number; end: number };

/** `isSure` if most of the word's letters were recognised there. */
export type EstimatedSpan = TimeSpan & { isSure: boolean };

type Pairing = { written: WrittenLetters; recognised: RecognisedLetters; partners: Int32Array };

/** Roughly where each word is; undefined for words of which less than half of the letters go with any of the recording. */
export function estimateWordTimes(
  words: readonly LetterSpan[],
  pairing: Pairing,
): (EstimatedSpan | undefined)[] {
  const { recognised } = pairing;
  const spread = spreadPartners(pairing);
  return words.map(({ start, end }) => {
    const found = [...spread.subarray(start, end)].filter((partner) => partner >= 0);
    const [first, last] = [found[0], found.at(-1)];
    if (first === undefined || last === undefined || 2 * found.length < end - start) return undefined;
    let sureLetters = 0;
    for (let letter = start; letter < end; letter++) if (isSure(pairing, letter)) sureLetters++;
    return {
      startSeconds: recognised.startSeconds[first] ?? 0,
      endSeconds: recognised.endSeconds[last] ?? 0,
      isSure: 2 * sureLetters > end - start,
    };
  });
}

/**
 * Which letters go together between two that were recognised is a guess, so they are spread evenly over the voice there. Recognised letters
 * that go with none are other words: nothing is spread across them.
 */
function spreadPartners(pairing: Pairing): Int32Array {
  const { recognised, partners } = pairing;
  const spread = partners.slice();
  const isUsed = new Uint8Array(recognised.letters.length);
  for (const partner of partners) if (partner >= 0) isUsed[partner] = 1;
  const isBorder = (place: number) => isUsed[place] === 0 && isKnown(recognised, place);
  let guessed: number[] = [];
  /** Where the voice for the guessed letters begins. */
  let from = 0;
  const spreadUntil = (until: number) => {
    const count = until - from;
    guessed.forEach((letter, n) => {
      spread[letter] = from + Math.floor(((n + 0.5) * count) / guessed.length);
    });
    guessed = [];
    from = until + 1;
  };
  let place = 0;
  partners.forEach((partner, letter) => {
    if (partner < 0) return;
    for (; place < partner; place++) if (isBorder(place)) spreadUntil(place);
    if (isSure(pairing, letter)) spreadUntil(partner);
    else guessed.push(letter);
  });
  while (place < recognised.letters.length && !isBorder(place)) place++;
  spreadUntil(place);
  return spread;
}

function isSure({ written, recognised, partners }: Pairing, letter: number): boolean {
  const partner = partners[letter] ?? -1;
  return isKnown(recognised, partner) && recognised.letters[partner] === written.letters[letter];
}

const isKnown = ({ letters, isDoubtful }: RecognisedLetters, place: number) =>
  place >= 0 && letters[place] !== UNKNOWN_LETTER && isDoubtful[place] === 0;
