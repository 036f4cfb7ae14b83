const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Scripts and pictographs that are two Latin letters wide. */
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\p{Extended_Pictographic}]/u;

/** The width of a text, in Latin letters. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** Splits a text into pieces of at most this width, never inside a grapheme. */
export function cutByWidth(text: string, maxWidth: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    const extra = graphemeWidth(segment);
    if (piece !== "" && width + extra > maxWidth) {
      pieces.push(piece);
      piece = "";
      width = 0;
    }
    piece += segment;
    width += extra;
  }
  return [...pieces, piece];
}

function graphemeWidth(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}
