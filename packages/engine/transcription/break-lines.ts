import { displayWidth } from "../text/display-width.ts";
import { endsClause, endsSentence } from "../text/text-ends.ts";
import type { TimedLine, TimedWord } from "../text/timed-text.ts";

const PAUSE_SECONDS = 1.5;
/** Width in Latin letters after which a line ends at the next comma, and after which it ends anywhere. */
const LONG_WIDTH = 80;
const TOO_LONG_WIDTH = 160;

/** Breaks a transcript into lines: sentences, split at long pauses, and long ones at a comma. Each ends with a line break. */
export function breakLines(words: readonly TimedWord[]): TimedLine[] {
  const lines: TimedLine[] = [];
  let line: TimedWord[] = [];
  let width = 0;
  words.forEach((word, index) => {
    line.push(word);
    width += displayWidth(word.text);
    const next = words[index + 1];
    const pauseSeconds = next === undefined ? Number.POSITIVE_INFINITY : next.startSeconds - word.endSeconds;
    const isEnd =
      pauseSeconds >= PAUSE_SECONDS ||
      endsSentence(word.text) ||
      (width >= LONG_WIDTH && endsClause(word.text)) ||
      width >= TOO_LONG_WIDTH;
    if (!isEnd) return;
    line[line.length - 1] = { ...word, text: `${word.text.trimEnd()}\n` };
    lines.push({ words: line });
    line = [];
    width = 0;
  });
  return lines;
}
