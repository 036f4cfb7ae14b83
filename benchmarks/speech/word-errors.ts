/** Accents, and the vowel points of Hebrew and Arabic, which most texts leave out. */
const POINTS =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0656-\u065f\u0670]/g;

/** Words for comparison: without case, punctuation and accents; digits are kept. */
function toWords(text: string): string[] {
  return text
    .toLowerCase()
    .normalize("NFKD")
    .replace(POINTS, "")
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

/** For languages without spaces between words; ignores diacritics, like Whisper's published figures. */
export function countLetterErrors(reference: string, text: string): Errors {
  return countErrors(toLetters(reference), toLetters(text));
}

function toLetters(text: string): string[] {
  return [...toWords(text).join("").replace(/\p{M}/gu, "")];
}

/** The minimum number of substitutions, insertions and deletions (Levenshtein). */
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
