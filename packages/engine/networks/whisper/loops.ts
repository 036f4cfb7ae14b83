import { deflateSync } from "node:zlib";

/** The longest phrase, in tokens, that is checked for repetition while decoding. */
const MAX_PHRASE_TOKENS = 24;
/** People do not repeat a phrase this often, over this many tokens, in half a minute. */
const MIN_REPEATS = 6;
const MIN_LOOP_TOKENS = 24;

/** Whether the text ends in one phrase repeated over and over: the decoder will not stop by itself. */
export function endsInLoop(tokens: readonly number[]): boolean {
  for (let period = 1; period <= MAX_PHRASE_TOKENS; period++) {
    const length = Math.max(MIN_LOOP_TOKENS, period * MIN_REPEATS);
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
