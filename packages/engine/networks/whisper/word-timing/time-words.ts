import type { FloatTensor } from "../../../runtime/graph-session.ts";
import { TEXT_TOKENS_MAX } from "../decoder-run.ts";
import { SAMPLE_RATE_HZ } from "../log-mel.ts";
import type { Whisper } from "../whisper.ts";
import { findLetterPath, type WordSpan } from "./letter-path.ts";
import { rateVoice, STEP_SECONDS, trackLoudness } from "./loudness-track.ts";
import { type Letter, spellWords } from "./spell-words.ts";

/** A window of sound of at most 30 s. */
export type SpeechWindow = {
  /** All that the encoder made of it, also of the silence behind a shorter sound: the decoder needs somewhere to look between words. */
  states: FloatTensor;
  /** At 16 kHz. */
  samples: Float32Array;
  /** Code of a language the network knows. */
  language: string;
  /** Whether the sound may end before the text does. */
  isOpenEnded?: boolean;
  /** Whether the words are all that is said in it. */
  isWhole?: boolean;
};

/** When a word is heard, in seconds from the start of the window, and how clearly, from 0 to 1. */
export type HeardWord = { startSeconds: number; endSeconds: number; confidence: number };

const STATES_PER_STEP = STEP_SECONDS / 0.02;
/** The median of TIMIT's words. */
const CERTAIN_SHARE = 0.4;
/** Keeps a step's shares apart from noise: below it a look at the sound means nothing. */
const SHARE_FLOOR = 1e-3;

/**
 * When each word of a text is heard in a window; undefined for words that are not. The decoder is given the text letter by letter,
 * and the heads that look at the sound of the letter in hand tell where it is; the best path through letters and pauses, with the
 * loudness as a second witness, gives the times.
 *
 * A text too long for the decoder is timed in parts: a part's words are looked for in all of the sound that is left, those of its
 * first two thirds, which have their neighbours on both sides, are kept, and the next part begins behind them.
 */
export async function timeWords(
  whisper: Whisper,
  window: SpeechWindow,
  words: readonly string[],
): Promise<(HeardWord | undefined)[]> {
  const letters = spellWords(words, (text) => whisper.tokenizer.encode(text));
  const voice = rateVoice(trackLoudness(window.samples, SAMPLE_RATE_HZ));
  const heard: (HeardWord | undefined)[] = [];
  let firstStep = 0;
  while (heard.length < words.length) {
    const part = takePart(letters, heard.length);
    if (part.length === 0) {
      heard.push(undefined);
      continue;
    }
    const wordCount = (part.at(-1)?.word ?? 0) + 1;
    const isLastPart = heard.length + wordCount >= words.length;
    const attention = await lookForLetters(whisper, window, part);
    const spans = findLetterPath({
      shares: toShares(attention, part, { firstStep, stepCount: voice.length - firstStep }),
      wordOfLetter: part.filter((letter) => letter.isSounded).map((letter) => letter.word),
      wordCount,
      voice: voice.subarray(firstStep),
      isOpenEnded: !isLastPart || window.isOpenEnded === true,
      isWhole: isLastPart && heard.length === 0 && window.isWhole === true,
    });
    const kept = spans.slice(0, isLastPart ? wordCount : Math.ceil((wordCount * 2) / 3));
    heard.push(...kept.map((span) => span && toHeardWord(span, { firstStep, letterCount: part.length })));
    firstStep += Math.max(0, ...kept.map((span) => span?.end ?? 0));
  }
  return heard;
}

/** The letters of as many words, from the given one on, as the decoder has room for; their words are counted from 0. */
function takePart(letters: readonly Letter[], firstWord: number): Letter[] {
  const first = letters.findIndex((letter) => letter.word >= firstWord);
  if (first < 0) return [];
  const wordBehind = letters[first + TEXT_TOKENS_MAX]?.word ?? Number.POSITIVE_INFINITY;
  return letters
    .slice(first)
    .filter((letter) => letter.word < wordBehind)
    .map((letter) => ({ ...letter, word: letter.word - firstWord }));
}

/** The mean over the heads of where each letter is looked for: letters × states. */
async function lookForLetters(
  whisper: Whisper,
  { states, language }: SpeechWindow,
  letters: readonly Letter[],
): Promise<Float32Array[]> {
  const { startOfTranscript, transcribe, noTimestamps, languageIds } = whisper.tokenizer;
  const languageId = languageIds.get(language);
  if (languageId === undefined) throw new RangeError(`Whisper knows no language ${language}`);
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

/** From states, of which there is one every 20 ms, to steps; and from looks at the sound to shares of each step. */
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
 * A step stands for the 10 ms around its time. The confidence is 0 for a share that chance would give, 1 for that of a clearly
 * spoken word, and goes with the logarithm between them: of many letters each has less.
 */
function toHeardWord(
  { start, end, share }: WordSpan,
  { firstStep, letterCount }: { firstStep: number; letterCount: number },
): HeardWord {
  const confidence = Math.log(share * letterCount) / Math.log(Math.max(2, CERTAIN_SHARE * letterCount));
  return {
    startSeconds: Math.max(0, (firstStep + start - 0.5) * STEP_SECONDS),
    endSeconds: (firstStep + end - 0.5) * STEP_SECONDS,
    confidence: Math.min(1, Math.max(0, confidence)),
  };
}
