const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Scripts and pictures that take the room of two Latin letters on a screen. */
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\p{Extended_Pictographic}]/u;

/** How much room a text takes, in Latin letters. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** The text in pieces of at most so much room each; never inside of what a reader takes for one letter. */
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
