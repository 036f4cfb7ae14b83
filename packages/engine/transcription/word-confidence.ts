import type { WhisperTokenizer } from "../networks/whisper/tokenizer.ts";

/**
 * The decoder's confidence in each word: the geometric mean of its tokens' probabilities, weighted by bytes. The words must concatenate to the
 * trimmed text of the tokens.
 */
export function estimateConfidence(
  words: readonly string[],
  written: { tokens: readonly number[]; logProbs: readonly number[] },
  tokenizer: WhisperTokenizer,
): number[] {
  const rates = written.tokens.flatMap((token, n) =>
    Array<number>(tokenizer.toBytes([token]).length).fill(written.logProbs[n] ?? 0),
  );
  const text = tokenizer.decode(written.tokens);
  let at = Buffer.byteLength(text) - Buffer.byteLength(text.trimStart());
  return words.map((word) => {
    const own = rates.slice(at, at + Buffer.byteLength(word.trimEnd()));
    at += Buffer.byteLength(word);
    return Math.exp(own.reduce((sum, rate) => sum + rate, 0) / Math.max(1, own.length));
  });
}
