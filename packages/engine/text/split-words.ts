import { endsLine } from "./text-ends.ts";

/** A word as written, with the white space after it. */
export type WrittenWord = { text: string };
export type WrittenLine = { words: WrittenWord[] };

/** Scripts written without spaces between words; the dictionary joins the second group with adjacent text. */
const EAST_ASIAN = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`;
const SOUTH_EAST_ASIAN = String.raw`\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const UNSPACED = new RegExp(`[${EAST_ASIAN}${SOUTH_EAST_ASIAN}]`, "u");
/** The boundary between a word of the second group and a Latin word or number, where the dictionary would not split. */
const JOINT = new RegExp(
  `(?<=[${SOUTH_EAST_ASIAN}])(?=[a-z0-9])|(?<=[a-z0-9])(?=[${SOUTH_EAST_ASIAN}])`,
  "iu",
);

const BLANK = /^\s+$/u;
const OPENING = /^[\p{Ps}\p{Pi}]+$/u;

/** Its dictionary covers all of those scripts in any locale. */
const dictionary = new Intl.Segmenter(undefined, { granularity: "word" });

/**
 * Splits a text into words, line by line; joined, they are the text again, character by character. Words are delimited by white space, or by the dictionary
 * in scripts without it. Leading white space goes with the first word, and a text of white space has no words.
 */
export function splitWords(text: string): WrittenLine[] {
  const lines: WrittenLine[] = [{ words: [] }];
  for (const [chunk] of text.matchAll(/^\s*\S+\s*|\S+\s*/gu)) {
    for (const word of splitChunk(chunk)) lines.at(-1)?.words.push({ text: word });
    if (endsLine(chunk)) lines.push({ words: [] });
  }
  return lines.filter((line) => line.words.length > 0);
}

/** What a word consists of so far: only its letters or signs decide what may follow in it. */
type Beginning = "blank" | "opening" | "word";

function splitChunk(chunk: string): string[] {
  if (!UNSPACED.test(chunk)) return [chunk];
  const words: string[] = [];
  let beginning: Beginning = "word";
  for (const { segment, isWordLike } of chunk.split(JOINT).flatMap(segmentPart)) {
    const isOpening = OPENING.test(segment);
    // Signs and white space belong to the preceding word; opening brackets and quotes to the following one.
    if (words.length === 0 || (beginning === "word" && (isWordLike || isOpening))) {
      words.push(segment);
      beginning = "blank";
    } else words[words.length - 1] += segment;
    // Told by the segment alone: looking at the whole word again would take the square of its length.
    if (isOpening && beginning !== "word") beginning = "opening";
    else if (beginning !== "blank" || !BLANK.test(segment)) beginning = "word";
  }
  return words;
}

function segmentPart(part: string): { segment: string; isWordLike?: boolean }[] {
  return UNSPACED.test(part) ? [...dictionary.segment(part)] : [{ segment: part, isWordLike: true }];
}
