import { compressionRatio } from "./loops.ts";
import type { RatedTokens, WrittenWindow } from "./write-windows.ts";

/** The thresholds of `whisper/transcribe.py`, except for silence: with its 0.6, saxophones and crowds became "you" (at 0.4). */
const MAX_COMPRESSION = 2.4;
const MIN_LOG_PROB = -1;
/** Speech that was played twice scored −0.1 and −0.2; hallucinated phrases score below −1 the first time. */
const MIN_SURE_LOG_PROB = -0.5;
const MIN_NO_SPEECH = 0.3;

/** In a repetitive text only the first occurrence counts: a phrase once written is likely to be repeated whatever is said. */
export function averageLogProb({ tokens, logProbs }: RatedTokens): number {
  const first = logProbs.filter((_, n) => tokens.indexOf(tokens[n] ?? Number.NaN) === n);
  const counted = 2 * first.length > tokens.length ? logProbs : first;
  return counted.reduce((sum, value) => sum + value, 0) / Math.max(1, counted.length);
}

/** Whether the decoder got stuck in a loop. */
export function isLooping(window: WrittenWindow, text: string): boolean {
  return window.isBrokenOff || compressionRatio(text) > MAX_COMPRESSION;
}

/** Whether the speaker repeats himself: the decoder reached the end and was sure of the first occurrence. */
export function isRepeatedForSure(window: WrittenWindow): boolean {
  return !window.isBrokenOff && averageLogProb(window) > MIN_SURE_LOG_PROB;
}

/** Whether the decoder should try again, at a higher temperature. */
export function isDoubtful(window: WrittenWindow, text: string): boolean {
  return !isSilent(window) && (isLooping(window, text) || averageLogProb(window) < MIN_LOG_PROB);
}

/**
 * Whether there is no speech: the text has no words, or the decoder predicts no speech and is unsure of its words. Only words are rated: a cough
 * became "Uh-huh." at −0.8 with punctuation and end token, −1.4 without. Of 55 words spoken alone, none for which the decoder predicted no speech
 * is below −1.
 */
export function isSilent(window: WrittenWindow): boolean {
  return (
    window.words.tokens.length === 0 ||
    (window.noSpeechProbability > MIN_NO_SPEECH && averageLogProb(window.words) < MIN_LOG_PROB)
  );
}
