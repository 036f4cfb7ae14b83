import { type TextFormat, type TimedText, writeText } from "@stemwright/engine";
import type { WordsDocument } from "../domain/words/words-record.ts";
import { toWords } from "../domain/words/words-view.ts";

/** Words in the engine's formats; json as the API returns them, with all metadata. */
export const wordsWriter = {
  write(document: WordsDocument, format: string): string {
    if (format !== "json") return writeText(toTimedText(document), format as TextFormat);
    const { text, lines, metadata } = toWords(document, undefined);
    return JSON.stringify({ text, lines, metadata });
  },
};

function toTimedText({ lines, metadata, durationSeconds }: WordsDocument): TimedText {
  return {
    lines: lines.map(({ words }) => ({
      words: words.map(({ start, end, text, confidence }) => ({
        text,
        startSeconds: start,
        endSeconds: end,
        confidence,
      })),
    })),
    durationSeconds,
    metadata: { language: metadata.language ?? "und", languageConfidence: 1, model: "" },
  };
}
