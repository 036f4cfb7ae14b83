import type { WrittenLine } from "../text/split-words.ts";

/** "[Chorus]", "[Verse 2: Anna]": a line in square brackets. */
const HEADING = /^\s*\[[^\]]*\]:?\s*$/u;
/** "x2", "(x 3)" as one word, "2×". */
const TIMES = /^[([]?(?:[x×]\d{1,2}|\d{1,2}[x×])[)\]]?[.,;:]?$/iu;

/** For each word of a text whether it is a heading or "(x2)", which nobody sings. */
export function markAnnotations(lines: readonly WrittenLine[]): boolean[] {
  return lines.flatMap(({ words }) => {
    const isHeading = HEADING.test(words.map(({ text }) => text).join(""));
    return words.map(({ text }) => isHeading || TIMES.test(text.trim()));
  });
}
