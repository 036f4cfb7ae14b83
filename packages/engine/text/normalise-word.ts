import { toSimplified } from "./to-simplified.ts";

/** What two ways to write a word have in common: its letters and digits in small, without accents, Chinese ones simplified. Empty for mere punctuation. */
export function normaliseWord(text: string): string {
  return toSimplified(text.normalize("NFKD"))
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}
