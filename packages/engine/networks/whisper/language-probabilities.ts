import type { WhisperTokenizer } from "./tokenizer.ts";

/** Probability of each language, by code; they sum to one. */
export type LanguageProbabilities = ReadonlyMap<string, number>;

/** From the logits after the start-of-transcript token, where the decoder predicts the language. */
export function toLanguageProbabilities(
  logits: Float32Array,
  tokenizer: WhisperTokenizer,
): LanguageProbabilities {
  const languages = [...tokenizer.languageIds];
  const highest = Math.max(...languages.map(([, id]) => logits[id]!));
  const weights = languages.map(([code, id]) => [code, Math.exp(logits[id]! - highest)] as const);
  const sum = weights.reduce((total, [, weight]) => total + weight, 0);
  return new Map(weights.map(([code, weight]) => [code, weight / sum]));
}

/** The probability of no speech, from the same logits. */
export function toNoSpeechProbability(logits: Float32Array, tokenizer: WhisperTokenizer): number {
  const noSpeech = logits[tokenizer.noSpeech]!;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - noSpeech);
  return 1 / sum;
}

export function findLikeliest(probabilities: LanguageProbabilities): {
  language: string;
  probability: number;
} {
  let best = { language: "en", probability: 0 };
  for (const [language, probability] of probabilities) {
    if (probability > best.probability) best = { language, probability };
  }
  return best;
}
