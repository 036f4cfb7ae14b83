import type { Place, WordsLine, WordsLines } from "./words-lines.ts";

export type Speaker = string | number;
/** Words in a row, both ends included. */
export type WordsSelection = { from: Place; to: Place };

/** By the order in which they first speak, which a new name does not change. */
export const listSpeakers = (lines: WordsLines): Speaker[] => [
  ...new Set(lines.flatMap(({ speaker }) => (speaker === undefined ? [] : [speaker]))),
];

/** `Speaker 1` for `speaker_01`; other names are unchanged. */
export function nameSpeaker(speaker: Speaker): string {
  const number = /^(?:speaker_)?0*(\d+)$/.exec(String(speaker))?.[1];
  return number === undefined ? String(speaker) : `Speaker ${number}`;
}

/** The speaker that a typed name means: one who is there already, or a new one. */
export const toSpeaker = (name: string, known: readonly Speaker[]): Speaker =>
  known.find((speaker) => nameSpeaker(speaker).toLowerCase() === name.trim().toLowerCase()) ?? name.trim();

const giveLine = (line: WordsLine, speaker: Speaker): WordsLine => ({
  ...line,
  speaker,
  words: line.words.map((word) => ({ ...word, speaker })),
});

/** Renames a speaker everywhere. With the name of another one, the two become one. */
export const renameSpeaker = (lines: WordsLines, from: Speaker, to: Speaker): WordsLines =>
  from === to
    ? lines
    : lines.map((line) => {
        const isTheirs = line.speaker === from;
        if (!isTheirs && line.words.every((word) => word.speaker !== from)) return line;
        const words = line.words.map((word) => (word.speaker === from ? { ...word, speaker: to } : word));
        return { ...line, ...(isTheirs ? { speaker: to } : {}), words };
      });

/** Gives a whole line to a speaker. */
export function assignLine(lines: WordsLines, index: number, speaker: Speaker): WordsLines {
  const line = lines[index];
  return line ? lines.with(index, giveLine(line, speaker)) : lines;
}

/** A line break behind the last word, without which the text would run on. */
function endWords(words: WordsLine["words"]): WordsLine["words"] {
  const last = words.at(-1);
  if (!last || /\n\s*$/.test(last.text)) return words;
  return words.with(-1, { ...last, text: `${last.text.trimEnd()}\n` });
}

/** Gives words to a speaker; a line of which only some are selected is divided. */
export function assignSelection(
  lines: WordsLines,
  { from, to }: WordsSelection,
  speaker: Speaker,
): WordsLines {
  return lines.flatMap((line, index) => {
    if (index < from.line || index > to.line) return [line];
    const first = index === from.line ? from.word : 0;
    const behind = index === to.line ? to.word + 1 : line.words.length;
    const parts: WordsLine[] = [
      { ...line, words: line.words.slice(0, first) },
      giveLine({ ...line, words: line.words.slice(first, behind) }, speaker),
      { ...line, words: line.words.slice(behind) },
    ].filter(({ words }) => words.length > 0);
    return parts.map((part, n) => (n < parts.length - 1 ? { ...part, words: endWords(part.words) } : part));
  });
}
