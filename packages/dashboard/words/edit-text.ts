import type { TimedWord } from "@stemwright/sdk";
import { findRoom, type WordsLine, type WordsLines } from "./words-lines.ts";

/** Longest gap the service aligns, and how far around the old words new ones are searched. */
const MAX_GAP_SECONDS = 60;
const REACH_SECONDS = 5;
/** Faster than speech: words that would be shorter are aligned together with their neighbours. */
const MIN_LETTER_SECONDS = 0.03;

/** New words within a line: what the service should align, and between which times. */
export type EditedGap = {
  line: number;
  first: number;
  count: number;
  text: string;
  start: number;
  end: number;
};

export type TextEdit = { lines: WordsLines; gap: EditedGap | undefined };

/**
 * Changes the text of a line. Unchanged words at both ends keep their times; those between them get shares of the remaining time, with confidence 0, until
 * the service has aligned them. A line without text is removed.
 */
export function editText(
  lines: WordsLines,
  { line, text, durationSeconds }: { line: number; text: string; durationSeconds: number },
): TextEdit {
  const edited = lines[line];
  const wanted = text.replace(/\s+/gu, " ").trim();
  if (!edited) return { lines, gap: undefined };
  if (wanted === "") return { lines: lines.toSpliced(line, 1), gap: undefined };
  const { words } = edited;
  const kept = findKept(words, wanted);
  if (kept.middle === "" && kept.first === kept.behind) return { lines, gap: undefined };
  const room = findRoom(lines, line, durationSeconds);
  const { first, behind, middle } = kept.middle === "" ? kept : widen(kept, words, room);
  const anchors = anchorsOf(words, { first, behind, room });
  const old = words.slice(first, behind);
  const span = limitSpan(anchors, old);
  const isLineEnd = behind === words.length;
  const fresh = middle === "" ? [] : estimateWords(middle, { span: spanOf(old) ?? span, isLineEnd });
  const changed = endLine([...words.slice(0, first), ...fresh, ...words.slice(behind)], words);
  const next = lines.with(line, { ...edited, words: changed });
  if (fresh.length === 0 || span.end <= span.start) return { lines: next, gap: undefined };
  const gapText = changed
    .slice(first, first + fresh.length)
    .map((word) => word.text)
    .join("");
  return { lines: next, gap: { line, first, count: fresh.length, text: gapText, ...span } };
}

/** Replaces the estimates with the times from the service; returns the lines unchanged if those words no longer exist. */
export function placeAligned(
  lines: WordsLines,
  gap: EditedGap,
  { estimated, found }: { estimated: readonly TimedWord[]; found: readonly TimedWord[] },
): WordsLines {
  const edited = lines[gap.line];
  const current = edited?.words.slice(gap.first, gap.first + gap.count) ?? [];
  if (!edited || estimated.some((word, n) => current[n] !== word)) return lines;
  const speaker = estimated[0]?.speaker;
  const placed = found.map((word) => (speaker === undefined ? word : { ...word, speaker }));
  return lines.with(gap.line, {
    ...edited,
    words: edited.words.toSpliced(gap.first, gap.count, ...placed),
  });
}

/** How many words at the start and end of a line are unchanged, and the text between them. */
function findKept(
  words: readonly TimedWord[],
  wanted: string,
): { first: number; behind: number; middle: string } {
  let [first, from] = [0, 0];
  while (first < words.length) {
    const { text } = words[first] as TimedWord;
    const shown = text.trim();
    const at = from + shown.length;
    const isWhole = wanted[at] === undefined || wanted[at] === " " || !/\s$/u.test(text);
    if (shown === "" || !wanted.startsWith(shown, from) || !isWhole) break;
    from = wanted[at] === " " ? at + 1 : at;
    first += 1;
  }
  let [behind, to] = [words.length, wanted.length];
  while (behind > first) {
    const shown = words[behind - 1]?.text.trim() ?? "";
    const at = to - shown.length;
    const before = words[behind - 2]?.text ?? "";
    const isWhole = at === from || wanted[at - 1] === " " || !/\s$/u.test(before);
    if (shown === "" || at < from || wanted.slice(at, to) !== shown || !isWhole) break;
    to = at > from && wanted[at - 1] === " " ? at - 1 : at;
    behind -= 1;
  }
  return { first, behind, middle: wanted.slice(from, Math.max(from, to)).trim() };
}

type Kept = ReturnType<typeof findKept>;
type Span = { start: number; end: number };

const anchorsOf = (
  words: readonly TimedWord[],
  { first, behind, room }: Pick<Kept, "first" | "behind"> & { room: Span },
) => ({
  start: words[first - 1]?.end ?? room.start,
  end: words[behind]?.start ?? room.end,
});

/** Words inserted between two adjacent ones take some of their time. */
function widen(kept: Kept, words: readonly TimedWord[], room: Span): Kept {
  let { first, behind, middle } = kept;
  for (;;) {
    const { start, end } = anchorsOf(words, { first, behind, room });
    const isWideEnough = end - start >= MIN_LETTER_SECONDS * middle.length;
    if (isWideEnough || (first === 0 && behind === words.length)) return { first, behind, middle };
    const [before, next] = [words[first - 1], words[behind]];
    if (before) middle = joinTexts(before.text, middle);
    if (next)
      middle = joinTexts(
        /\s$/u.test(words[behind - 1]?.text ?? " ") ? `${middle} ` : middle,
        next.text.trim(),
      );
    first = Math.max(0, first - 1);
    behind = Math.min(words.length, behind + 1);
  }
}

const joinTexts = (a: string, b: string) => (/\s$/u.test(a) ? `${a.trimEnd()} ${b}` : a + b);

const spanOf = (words: readonly TimedWord[]) =>
  words.length === 0 ? undefined : { start: words[0]?.start ?? 0, end: words.at(-1)?.end ?? 0 };

/** Excludes a long pause next to the words. */
function limitSpan(anchors: { start: number; end: number }, old: readonly TimedWord[]) {
  const span = spanOf(old) ?? anchors;
  const start = Math.max(anchors.start, span.start - REACH_SECONDS);
  return { start, end: Math.min(anchors.end, span.end + REACH_SECONDS, start + MAX_GAP_SECONDS) };
}

/** Divides the time by the words' letters. */
function estimateWords(
  text: string,
  { span, isLineEnd }: { span: { start: number; end: number }; isLineEnd: boolean },
): TimedWord[] {
  const shown = text.split(" ");
  const letters = shown.reduce((sum, word) => sum + word.length, 0);
  const round = (seconds: number) => Math.round(seconds * 1000) / 1000;
  let before = 0;
  const at = (count: number) => round(span.start + ((span.end - span.start) * count) / letters);
  return shown.map((word, n) => {
    const start = at(before);
    before += word.length;
    const space = isLineEnd && n === shown.length - 1 ? "\n" : " ";
    return { text: word + space, start, end: at(before), confidence: 0 };
  });
}

/** Keeps the line break at the end of the last word; a word no longer at the end gets a space instead. */
function endLine(words: readonly TimedWord[], before: readonly TimedWord[]): WordsLine["words"] {
  const last = before.at(-1)?.text ?? "";
  const ending = last.slice(last.trimEnd().length);
  return words.map((word, n) => {
    const isLast = n === words.length - 1;
    if (isLast && !word.text.endsWith(ending)) return { ...word, text: word.text.trimEnd() + ending };
    const text = word.text.trimEnd();
    return !isLast && /[\n\r]/u.test(word.text.slice(text.length)) ? { ...word, text: `${text} ` } : word;
  });
}
