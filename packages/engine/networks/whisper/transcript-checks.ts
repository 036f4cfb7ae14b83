import { compressionRatio } from "./loops.ts";
import type { RatedTokens, WrittenWindow } from "./write-windows.ts";

/** The limits of `whisper/transcribe.py`; its 0.6 for silence let saxophones and crowds say "you" at 0.4. */
const COMPRESSION_MAX = 2.4;
const LOG_PROB_MIN = -1;
/** Speech that was played twice had −0.1 and −0.2; hallucinated phrases are below −1 the first time. */
const SURE_LOG_PROB_MIN = -0.5;
const NO_SPEECH_MIN = 0.3;

/** Where most of a text repeats itself, its first time counts alone: once written, a phrase is likely to come again whatever is heard. */
export function averageLogProb({ tokens, logProbs }: RatedTokens): number {
  const first = logProbs.filter((_, n) => tokens.indexOf(tokens[n] ?? Number.NaN) === n);
  const counted = 2 * first.length > tokens.length ? logProbs : first;
  return counted.reduce((sum, value) => sum + value, 0) / Math.max(1, counted.length);
}

/** Whether the decoder went round in circles. */
export function isLooping(window: WrittenWindow, text: string): boolean {
  return window.isBrokenOff || compressionRatio(text) > COMPRESSION_MAX;
}

/** Whether a text repeats itself because the speaker does: the decoder came to its end, and was sure of it the first time. */
export function isRepeatedForSure(window: WrittenWindow): boolean {
  return !window.isBrokenOff && averageLogProb(window) > SURE_LOG_PROB_MIN;
}

/** Whether the decoder should try again, at a higher temperature. */
export function isDoubtful(window: WrittenWindow, text: string): boolean {
  return !isSilent(window) && (isLooping(window, text) || averageLogProb(window) < LOG_PROB_MIN);
}

/**
 * Whether what was written is no speech: it has no words, or the decoder hears none and is not sure of them. A cough said "Uh-huh." at
 * −0.8 with its full stop and end, at −1.4 without; of 55 words that were spoken alone, none is below −1 without them where the
 * decoder hears no speech.
 */
export function isSilent(window: WrittenWindow): boolean {
  return (
    window.words.tokens.length === 0 ||
    (window.noSpeechProbability > NO_SPEECH_MIN && averageLogProb(window.words) < LOG_PROB_MIN)
  );
}
