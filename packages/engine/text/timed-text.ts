/** A word as written, with the white space that follows it, and its times. */
export type TimedWord = {
  text: string;
  startSeconds: number;
  endSeconds: number;
  /** From 0 to 1. */
  confidence: number;
  /** Numbered from 1; only if speakers were requested. */
  speaker?: number;
};

export type TimedLine = { words: TimedWord[] };

export type TextMetadata = {
  /** ISO 639-1, or Whisper's own code for languages without one. */
  language: string;
  languageConfidence: number;
  model: string;
  /** The language the text was translated into. */
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

/** The speaker of most words of a line, if speakers were requested. */
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
