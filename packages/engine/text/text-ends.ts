/** What may close a bracket or quote behind the sign that ends a sentence. */
const CLOSING = String.raw`["'\p{Pe}\p{Pf}]*\s*$`;
const SENTENCE_END = new RegExp(String.raw`[\p{Sentence_Terminal}…]${CLOSING}`, "u");
const CLAUSE_END = new RegExp(String.raw`[\p{Terminal_Punctuation}–—]${CLOSING}`, "u");
/** Scripts that put a space not between words but between phrases. */
const PHRASE_END = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\s+$/u;

/** Whether a word, with the white space behind it, is the last of a sentence. */
export function endsSentence(word: string): boolean {
  return SENTENCE_END.test(word);
}

/** Whether a reader would pause behind a word. */
export function endsClause(word: string): boolean {
  return CLAUSE_END.test(word) || PHRASE_END.test(word);
}
