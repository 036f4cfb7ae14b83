import { cutByWidth, displayWidth } from "./display-width.ts";
import { endsClause, endsSentence } from "./text-ends.ts";
import type { TimedText, TimedWord } from "./timed-text.ts";

/** Where a cue may end, from the best place to the worst. */
export type Joint = "line" | "sentence" | "clause" | "phrase";

export type CueWord = {
  text: string;
  width: number;
  /** Separator to the next word on the same row. */
  space: "" | " ";
  joint: Joint;
  startSeconds: number;
  endSeconds: number;
  speaker?: number;
};

/** All words of the text for subtitles, in order; a word too wide for any row is split into pieces. */
export function listCueWords(text: TimedText, maxWidth: number): CueWord[] {
  return text.lines.flatMap(({ words }) =>
    words.flatMap((word, index) => toCueWords(word, { isLineEnd: index === words.length - 1, maxWidth })),
  );
}

function toCueWords(word: TimedWord, place: { isLineEnd: boolean; maxWidth: number }): CueWord[] {
  const shown = word.text.trim().replace(/\s+/gu, " ");
  if (shown === "") return [];
  const pieces = cutByWidth(shown, place.maxWidth);
  const pieceSeconds = (word.endSeconds - word.startSeconds) / pieces.length;
  return pieces.map((text, index) => {
    const isLast = index === pieces.length - 1;
    return {
      text,
      width: displayWidth(text),
      space: isLast && (place.isLineEnd || /\s$/u.test(word.text)) ? " " : "",
      joint: isLast ? jointAfter(word.text, place.isLineEnd) : "phrase",
      ...(word.speaker === undefined ? {} : { speaker: word.speaker }),
      startSeconds: word.startSeconds + index * pieceSeconds,
      endSeconds: isLast ? word.endSeconds : word.startSeconds + (index + 1) * pieceSeconds,
    };
  });
}

function jointAfter(text: string, isLineEnd: boolean): Joint {
  if (isLineEnd) return "line";
  if (endsSentence(text)) return "sentence";
  return endsClause(text) ? "clause" : "phrase";
}
