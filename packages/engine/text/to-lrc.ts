import { toLyricsTime } from "./clock-time.ts";
import { toOneRow } from "./one-row.ts";
import type { TimedText, TimedWord } from "./timed-text.ts";

/** A line stays on the player's screen until the next one; after this long it is cleared. */
const CLEAR_AFTER_SECONDS = 5;

/** Lyrics with a tag per line and, as in enhanced lrc, one before each word and one where the last word ends. */
export function toLrc(text: TimedText): string {
  const rows = ["[re:Stemwright]", `[la:${text.metadata.language}]`];
  const lines = text.lines.filter((line) => line.words.length > 0);
  lines.forEach(({ words }, index) => {
    rows.push(toRow(words));
    const end = words.at(-1)?.endSeconds ?? 0;
    const nextStart = lines[index + 1]?.words[0]?.startSeconds ?? Number.POSITIVE_INFINITY;
    if (nextStart - end > CLEAR_AFTER_SECONDS) rows.push(`[${toLyricsTime(end)}]`);
  });
  return `${rows.join("\n")}\n`;
}

function toRow(words: TimedWord[]): string {
  const [first, last] = [words[0], words.at(-1)];
  const tagged = words.map((word) => `<${toLyricsTime(word.startSeconds)}>${escapeTags(word.text)}`);
  return `[${toLyricsTime(first?.startSeconds ?? 0)}]${tagged.join("").trimEnd()} <${toLyricsTime(last?.endSeconds ?? 0)}>`;
}

/** A player would read a bracket before digits as a tag. */
function escapeTags(text: string): string {
  return toOneRow(text)
    .replace(/<(?=\d+:)/g, "‹")
    .replace(/\[(?=\d+:)/g, "(");
}
