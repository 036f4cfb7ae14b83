/** A word as it is written, with the white space that follows it, and when it is heard. */
export type TimedWord = {
  text: string;
  startSeconds: number;
  endSeconds: number;
  /** 0 to 1: how sure it is that the word is heard there. */
  confidence: number;
  /** Who says it, from 1 on, where that was asked for. */
  speaker?: number;
};

export type TimedLine = { words: TimedWord[] };

export type TextMetadata = {
  /** ISO 639-1, or Whisper's own code where that has none. */
  language: string;
  languageConfidence: number;
  model: string;
  /** What the text was translated into, from `language`. */
  translatedTo?: string;
  /** Where the language changes within the audio. */
  languageSpans?: { start: number; end: number; language: string; confidence: number }[];
};

/** What was said or sung, and when: the text is the join of its lines, a line the join of its words. */
export type TimedText = {
  lines: TimedLine[];
  durationSeconds: number;
  metadata: TextMetadata;
};

/** The one who says most of a line, where that was asked for. */
export function findSpeaker({ words }: TimedLine): number | undefined {
  const seconds = new Map<number, number>();
  for (const { speaker, startSeconds, endSeconds } of words) {
    if (speaker !== undefined) seconds.set(speaker, (seconds.get(speaker) ?? 0) + endSeconds - startSeconds);
  }
  return [...seconds].reduce<[number, number] | undefined>(
    (most, one) => (most === undefined || one[1] > most[1] ? one : most),
    undefined,
  )?.[0];
}

export function joinWords(line: TimedLine): string {
  return line.words.map((word) => word.text).join("");
}

export function joinLines(text: TimedText): string {
  return text.lines.map(joinWords).join("");
}
