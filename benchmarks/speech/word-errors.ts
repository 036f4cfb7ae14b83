/** Words as they are compared: without case, punctuation and accents, numbers as digits stay as they are. */
function toWords(text: string): string[] {
  return text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[’']/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .split(" ")
    .filter((word) => word !== "");
}

/** The least number of words that must be changed, put in or taken out (Levenshtein). */
export function countWordErrors(reference: string, text: string): { words: number; wrong: number } {
  const wanted = toWords(reference);
  const given = toWords(text);
  let row = Array.from({ length: given.length + 1 }, (_, n) => n);
  for (const [n, word] of wanted.entries()) {
    const next = [n + 1];
    for (const [m, other] of given.entries()) {
      const kept = (row[m] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(kept, (row[m + 1] ?? 0) + 1, (next[m] ?? 0) + 1));
    }
    row = next;
  }
  return { words: wanted.length, wrong: row.at(-1) ?? 0 };
}
