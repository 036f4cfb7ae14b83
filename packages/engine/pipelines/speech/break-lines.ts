import type { TimedLine, TimedWord } from "../../text/timed-text.ts";

const PAUSE_SECONDS = 1.5;
const SENTENCE_END = /[.!?…。！？؟।]["'”’»)\]」』]*\s*$/u;
const CLAUSE_END = /[,;:–—、，；：،]["'”’»)\]」』]*\s*$/u;
/** A line this long ends at the next comma, one that long anywhere. */
const LONG_LETTERS = 80;
const TOO_LONG_LETTERS = 160;

/** Lines of a transcript: sentences, parted at long pauses, and long ones at a comma. Each ends with a line break. */
export function breakLines(words: readonly TimedWord[]): TimedLine[] {
  const lines: TimedLine[] = [];
  let line: TimedWord[] = [];
  let letters = 0;
  words.forEach((word, index) => {
    line.push(word);
    letters += word.text.length;
    const next = words[index + 1];
    const pauseSeconds = next === undefined ? Number.POSITIVE_INFINITY : next.startSeconds - word.endSeconds;
    const isEnd =
      pauseSeconds >= PAUSE_SECONDS ||
      SENTENCE_END.test(word.text) ||
      (letters >= LONG_LETTERS && CLAUSE_END.test(word.text)) ||
      letters >= TOO_LONG_LETTERS;
    if (!isEnd) return;
    line[line.length - 1] = { ...word, text: `${word.text.trimEnd()}\n` };
    lines.push({ words: line });
    line = [];
    letters = 0;
  });
  return lines;
}
