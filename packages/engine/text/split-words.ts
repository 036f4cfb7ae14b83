/** A word as it is written, with the white space behind it. */
export type WrittenWord = { text: string };
export type WrittenLine = { words: WrittenWord[] };

/** Scripts that are written without spaces between words; the dictionary reads the second group as one run with what stands beside it. */
const EAST_ASIAN = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`;
const SOUTH_EAST_ASIAN = String.raw`\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`;
const UNSPACED = new RegExp(`[${EAST_ASIAN}${SOUTH_EAST_ASIAN}]`, "u");
/** Between a word of the second group and a Latin one or a number, which the dictionary would not part. */
const JOINT = new RegExp(
  `(?<=[${SOUTH_EAST_ASIAN}])(?=[a-z0-9])|(?<=[a-z0-9])(?=[${SOUTH_EAST_ASIAN}])`,
  "iu",
);

const OPENING = /^\s*[\p{Ps}\p{Pi}]+$|^\s+$/u;

/** Its dictionary serves all of those scripts, whatever the language it is made for. */
const dictionary = new Intl.Segmenter(undefined, { granularity: "word" });

/**
 * The words of a text, line by line; together they are the text again, character by character. A word is what white space parts,
 * or what the dictionary knows where a script has none. White space at the very start goes with the first word, and a text of
 * nothing else has no words.
 */
export function splitWords(text: string): WrittenLine[] {
  const lines: WrittenLine[] = [{ words: [] }];
  for (const [chunk] of text.matchAll(/^\s*\S+\s*|\S+\s*/gu)) {
    for (const word of splitChunk(chunk)) lines.at(-1)?.words.push({ text: word });
    if (/[\n\r\u2028\u2029]\s*$/u.test(chunk)) lines.push({ words: [] });
  }
  return lines.filter((line) => line.words.length > 0);
}

function splitChunk(chunk: string): string[] {
  if (!UNSPACED.test(chunk)) return [chunk];
  const words: string[] = [];
  for (const { segment, isWordLike } of chunk.split(JOINT).flatMap(segmentPart)) {
    const last = words.at(-1);
    const isOpening = segment.trim() !== "" && OPENING.test(segment);
    // Signs and white space belong to the word they follow; what opens a bracket or quote to the word it precedes.
    if (last === undefined || (!OPENING.test(last) && (isWordLike || isOpening))) words.push(segment);
    else words[words.length - 1] = last + segment;
  }
  return words;
}

function segmentPart(part: string): { segment: string; isWordLike?: boolean }[] {
  return UNSPACED.test(part) ? [...dictionary.segment(part)] : [{ segment: part, isWordLike: true }];
}
