import { toSimplified } from "./to-simplified.ts";

/** A word for comparison: lower-case letters and digits without accents, Chinese simplified. Empty for punctuation. */
export function normaliseWord(text: string): string {
  return toSimplified(text.normalize("NFKD"))
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}
