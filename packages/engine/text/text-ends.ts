/** Closing brackets or quotes after the sign that ends a sentence. */
const CLOSING = String.raw`["'\p{Pe}\p{Pf}]*\s*$`;
const SENTENCE_END = new RegExp(String.raw`[\p{Sentence_Terminal}…]${CLOSING}`, "u");
const CLAUSE_END = new RegExp(String.raw`[\p{Terminal_Punctuation}–—]${CLOSING}`, "u");
/** Scripts with spaces between phrases, not words. */
const PHRASE_END = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\s+$/u;

/** Whether a word, with the white space after it, ends a sentence. */
export function endsSentence(word: string): boolean {
  return SENTENCE_END.test(word);
}

/** Whether a reader would pause after a word. */
export function endsClause(word: string): boolean {
  return CLAUSE_END.test(word) || PHRASE_END.test(word);
}

/** Whether a line ends in the white space after a word. Not `[\n\r]\s*$`, which takes the square of a text's leading line breaks. */
export function endsLine(word: string): boolean {
  return /[\n\r\u2028\u2029]/u.test(word.slice(word.trimEnd().length));
}
