import type { FloatTensor } from "../../../runtime/graph-session.ts";
import { MAX_TEXT_TOKENS } from "../decoder-run.ts";
import { SPEECH_RATE_HZ } from "../log-mel.ts";
import type { Whisper } from "../whisper.ts";
import { findLetterPath, type WordSpan } from "./letter-path.ts";
import { rateVoice, STEP_SECONDS, trackLoudness } from "./loudness-track.ts";
import { type Letter, spellWords } from "./spell-words.ts";

/** A window of at most 30 s of audio. */
export type AlignmentWindow = {
  /** All encoder states, including those of the silent padding: the decoder needs somewhere to attend to between words. */
  states: FloatTensor;
  /** At 16 kHz. */
  samples: Float32Array;
  /** Code of a language the network knows. */
  language: string;
  /** Whether the audio may end before the text. */
  isOpenEnded?: boolean;
  /** Whether nothing but these words is said. */
  isWhole?: boolean;
};

/** Times in seconds from the start of the window; confidence from 0 to 1. */
export type AlignedLetters = { startSeconds: number; endSeconds: number; confidence: number };

const STATES_PER_STEP = STEP_SECONDS / 0.02;
/** The median of TIMIT's words. */
const CERTAIN_SHARE = 0.4;
/** Noise floor of attention: less than this means nothing. */
const SHARE_FLOOR = 1e-3;

/**
 * Times each word of a text in a window; undefined for words that are not found. The decoder gets the text letter by letter, and the timing
 * heads attend to the audio of the current letter. The best path through letters and pauses, weighted by loudness, gives the times.
 *
 * A text too long for the decoder is timed in parts. Each part is searched in all of the remaining audio; the words of its first two thirds,
 * which have context on both sides, are kept, and the next part starts after them.
 */
export async function timeWords(
  whisper: Whisper,
  window: AlignmentWindow,
  words: readonly string[],
): Promise<(AlignedLetters | undefined)[]> {
  const letters = spellWords(words, (text) => whisper.tokenizer.encode(text));
  const voice = rateVoice(trackLoudness(window.samples, SPEECH_RATE_HZ));
  const timed: (AlignedLetters | undefined)[] = [];
  let firstStep = 0;
  while (timed.length < words.length) {
    const part = takePart(letters, timed.length);
    if (part.length === 0) {
      timed.push(undefined);
      continue;
    }
    const wordCount = (part.at(-1)?.word ?? 0) + 1;
    const isLastPart = timed.length + wordCount >= words.length;
    const attention = await lookForLetters(whisper, window, part);
    const spans = findLetterPath({
      shares: toShares(attention, part, { firstStep, stepCount: voice.length - firstStep }),
      wordOfLetter: part.filter((letter) => letter.isSounded).map((letter) => letter.word),
      wordCount,
      voice: voice.subarray(firstStep),
      isOpenEnded: !isLastPart || window.isOpenEnded === true,
      isWhole: isLastPart && timed.length === 0 && window.isWhole === true,
    });
    const kept = spans.slice(0, isLastPart ? wordCount : Math.ceil((wordCount * 2) / 3));
    timed.push(
      ...kept.map((span) => span && toAlignedLetters(span, { firstStep, letterCount: part.length })),
    );
    firstStep += Math.max(0, ...kept.map((span) => span?.end ?? 0));
  }
  return timed;
}

/** The letters of as many words as fit the decoder, starting at the given one; words are counted from 0. */
function takePart(letters: readonly Letter[], firstWord: number): Letter[] {
  const first = letters.findIndex((letter) => letter.word >= firstWord);
  if (first < 0) return [];
  const wordBehind = letters[first + MAX_TEXT_TOKENS]?.word ?? Number.POSITIVE_INFINITY;
  return letters
    .slice(first)
    .filter((letter) => letter.word < wordBehind)
    .map((letter) => ({ ...letter, word: letter.word - firstWord }));
}

/** The heads' mean attention for each letter: letters × states. */
async function lookForLetters(
  whisper: Whisper,
  { states, language }: AlignmentWindow,
  letters: readonly Letter[],
): Promise<Float32Array[]> {
  const { startOfTranscript, transcribe, noTimestamps, languageIds } = whisper.tokenizer;
  const languageId = languageIds.get(language);
  if (languageId === undefined) throw new RangeError(`Whisper does not support the language ${language}`);
  const prompt = [startOfTranscript, languageId, transcribe, noTimestamps];
  const tokens = [...prompt, ...letters.map((letter) => letter.token)];
  const heads = await whisper.startDecoding([states]).attend(tokens);
  const stateCount = states.shape[1] ?? 0;
  return letters.map((_, index) => {
    const mean = new Float32Array(stateCount);
    const start = (prompt.length + index) * stateCount;
    for (const head of heads) {
      for (let state = 0; state < stateCount; state++) mean[state]! += head[start + state]! / heads.length;
    }
    return mean;
  });
}

/** From states (every 20 ms) to steps (every 10 ms), and from attention to each letter's share of a step. */
function toShares(
  attention: Float32Array[],
  letters: readonly Letter[],
  { firstStep, stepCount }: { firstStep: number; stepCount: number },
): Float32Array {
  const rows = attention.filter((_, index) => letters[index]?.isSounded);
  const shares = new Float32Array(rows.length * stepCount);
  for (let step = 0; step < stepCount; step++) {
    const place = (firstStep + step) * STATES_PER_STEP;
    const before = Math.floor(place);
    const weight = place - before;
    let sum = 0;
    rows.forEach((row, letter) => {
      const look = (row[before] ?? 0) * (1 - weight) + (row[before + 1] ?? row[before] ?? 0) * weight;
      shares[letter * stepCount + step] = look + SHARE_FLOOR;
      sum += look + SHARE_FLOOR;
    });
    for (let letter = 0; letter < rows.length; letter++) shares[letter * stepCount + step]! /= sum;
  }
  return shares;
}

/**
 * A step stands for the 10 ms around its time. Confidence is 0 for a share at chance level and 1 for that of a clearly spoken word, logarithmic
 * in between, because shares shrink with the number of letters.
 */
function toAlignedLetters(
  { start, end, share }: WordSpan,
  { firstStep, letterCount }: { firstStep: number; letterCount: number },
): AlignedLetters {
  const confidence = Math.log(share * letterCount) / Math.log(Math.max(2, CERTAIN_SHARE * letterCount));
  return {
    startSeconds: Math.max(0, (firstStep + start - 0.5) * STEP_SECONDS),
    endSeconds: (firstStep + end - 0.5) * STEP_SECONDS,
    confidence: Math.min(1, Math.max(0, confidence)),
  };
}
