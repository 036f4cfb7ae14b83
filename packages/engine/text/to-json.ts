import {
  findSpeaker,
  joinLines,
  joinWords,
  type TextMetadata,
  type TimedLine,
  type TimedText,
} from "./timed-text.ts";

/** Times in seconds, to the millisecond. */
export function toJson(text: TimedText): string {
  const lines = text.lines.filter((line) => line.words.length > 0);
  const metadata = toJsonMetadata(text.metadata);
  return JSON.stringify({ text: joinLines(text), lines: lines.map(toJsonLine), metadata });
}

function toJsonMetadata(metadata: TextMetadata): TextMetadata {
  const { languageSpans } = metadata;
  if (languageSpans === undefined) return metadata;
  const rounded = languageSpans.map((span) => ({
    start: roundTo(span.start, 3),
    end: roundTo(span.end, 3),
    language: span.language,
    confidence: roundTo(span.confidence, 3),
  }));
  return { ...metadata, languageSpans: rounded };
}

function toJsonLine(line: TimedLine) {
  const words = line.words.map((word) => ({
    start: roundTo(word.startSeconds, 3),
    end: roundTo(word.endSeconds, 3),
    text: word.text,
    confidence: roundTo(word.confidence, 3),
    ...toSpeakerField(word.speaker),
  }));
  const speaker = toSpeakerField(findSpeaker(line));
  return { start: words[0]?.start, end: words.at(-1)?.end, text: joinWords(line), ...speaker, words };
}

function toSpeakerField(speaker: number | undefined): { speaker?: string } {
  return speaker === undefined ? {} : { speaker: `speaker_${String(speaker).padStart(2, "0")}` };
}

function roundTo(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
