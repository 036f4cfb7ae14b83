/** What two ways to write a word have in common: its letters and digits in small, without accents. Empty for mere punctuation. */
export function normaliseWord(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}
