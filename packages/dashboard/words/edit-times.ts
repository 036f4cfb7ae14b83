import type { TimedWord } from "@stemwright/sdk";
import { findRoom, type Place, type WordsLine, type WordsLines } from "./words-lines.ts";

const MIN_SECONDS = 0.01;
/** Words this close share their edge. */
const MEETING_SECONDS = 0.02;

export type Edge = "start" | "end";

const round = (seconds: number) => Math.round(seconds * 1000) / 1000;

/** Moves an edge of a word, and the edge of a neighbour that touches it, as far as there is room. */
export function moveEdge(
  lines: WordsLines,
  {
    line,
    word: index,
    edge,
    seconds,
    durationSeconds,
  }: Place & { edge: Edge; seconds: number; durationSeconds: number },
): WordsLines {
  const edited = lines[line];
  const word = edited?.words[index];
  if (!edited || !word) return lines;
  const step = edge === "start" ? -1 : 1;
  const neighbour = edited.words[index + step];
  const room = findRoom(lines, line, durationSeconds);
  const outer = edge === "start" ? (neighbour?.end ?? room.start) : (neighbour?.start ?? room.end);
  const isMeeting = neighbour !== undefined && Math.abs(outer - word[edge]) < MEETING_SECONDS;
  const inner = edge === "start" ? word.end : word.start;
  const far = isMeeting ? (edge === "start" ? neighbour.start : neighbour.end) : outer;
  // A word keeps some length, except where that would overlap what is beyond `far`.
  const at =
    edge === "start"
      ? Math.max(
          round(Math.min(seconds, inner - MIN_SECONDS)),
          Math.min(inner, isMeeting ? round(far + MIN_SECONDS) : far),
        )
      : Math.min(
          round(Math.max(seconds, inner + MIN_SECONDS)),
          Math.max(inner, isMeeting ? round(far - MIN_SECONDS) : far),
        );
  const words = [...edited.words];
  words[index] = { ...word, [edge]: at, confidence: 1 };
  if (isMeeting)
    words[index + step] = { ...neighbour, [edge === "start" ? "end" : "start"]: at, confidence: 1 };
  return lines.with(line, { ...edited, words });
}

/** Sets the times of a line's words from taps: one for each word's start and one for the end of the last. */
export function tapTimes(
  line: WordsLine,
  taps: readonly number[],
  room: { start: number; end: number },
): WordsLine {
  let behind = room.start;
  const words = line.words.map((word, n): TimedWord => {
    const tapped = taps[n];
    if (tapped === undefined) return word;
    // The words behind it need some time, too.
    const latest = Math.max(behind, round(room.end - MIN_SECONDS * (line.words.length - n)));
    const start = Math.min(Math.max(round(tapped), behind), latest);
    const wanted = Math.max(round(taps[n + 1] ?? word.end), round(start + MIN_SECONDS));
    const end = Math.min(wanted, round(latest + MIN_SECONDS), room.end);
    behind = end;
    return { ...word, start, end, confidence: 1 };
  });
  return { ...line, words: keepApart(words, taps.length) };
}

/** Words after the last tap start no earlier than its end. */
function keepApart(words: TimedWord[], tapped: number): TimedWord[] {
  let behind = words[tapped - 1]?.end ?? 0;
  return words.map((word, n) => {
    if (n < tapped || word.start >= behind) return word;
    const start = behind;
    const end = Math.max(start, word.end);
    behind = end;
    return { ...word, start, end };
  });
}
