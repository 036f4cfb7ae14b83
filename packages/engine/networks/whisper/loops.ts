import { deflateSync } from "node:zlib";

/** The longest phrase, in tokens, that is checked for repetition while decoding. */
const PHRASE_TOKENS_MAX = 24;
/** People do not repeat a phrase this often, over this many tokens, in half a minute. */
const REPEATS_MIN = 6;
const LOOP_TOKENS_MIN = 24;

/** Whether the text ends in one phrase repeated over and over: the decoder will not stop by itself. */
export function endsInLoop(tokens: readonly number[]): boolean {
  for (let period = 1; period <= PHRASE_TOKENS_MAX; period++) {
    const length = Math.max(LOOP_TOKENS_MIN, period * REPEATS_MIN);
    if (tokens.length >= length && isPeriodic(tokens, { period, length })) return true;
  }
  return false;
}

function isPeriodic(
  tokens: readonly number[],
  { period, length }: { period: number; length: number },
): boolean {
  for (let n = tokens.length - length + period; n < tokens.length; n++) {
    if (tokens[n] !== tokens[n - period]) return false;
  }
  return true;
}

/**
 * The compression ratio of the text: above 2.4, says `whisper/transcribe.py`, it repeats itself. A letter counts as one byte in every script:
 * in UTF-8 the first of a Thai letter's three bytes is redundant, and ordinary Thai scored 2.7.
 */
export function compressionRatio(text: string): number {
  const bytes = Buffer.from(text, "latin1");
  return bytes.length === 0 ? 0 : bytes.length / deflateSync(bytes).length;
}
