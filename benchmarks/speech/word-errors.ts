/** Words as they are compared: without case, punctuation and accents, numbers as digits stay as they are. */
function toWords(text: string): string[] {
  return text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .replace(/[’']/g, "")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim()
    .split(" ")
    .filter((word) => word !== "");
}

type Errors = { of: number; wrong: number };

export function countWordErrors(reference: string, text: string): Errors {
  return countErrors(toWords(reference), toWords(text));
}

/** For languages that put no spaces between words. */
export function countLetterErrors(reference: string, text: string): Errors {
  return countErrors([...toWords(reference).join("")], [...toWords(text).join("")]);
}

/** The least number of items that must be changed, put in or taken out (Levenshtein). */
function countErrors(wanted: readonly string[], given: readonly string[]): Errors {
  let row = Array.from({ length: given.length + 1 }, (_, n) => n);
  for (const [n, item] of wanted.entries()) {
    const next = [n + 1];
    for (const [m, other] of given.entries()) {
      const kept = (row[m] ?? 0) + (item === other ? 0 : 1);
      next.push(Math.min(kept, (row[m + 1] ?? 0) + 1, (next[m] ?? 0) + 1));
    }
    row = next;
  }
  return { of: wanted.length, wrong: row.at(-1) ?? 0 };
}
