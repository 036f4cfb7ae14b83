import { type TextFormat, type TimedText, writeText } from "@stemwright/engine";
import type { WordsDocument, WordsLayout } from "../domain/words/words-record.ts";
import { toWords } from "../domain/words/words-view.ts";

type Speaker = string | number;
/** As the service numbers them. */
const NUMBERED = /^(?:speaker_)?0*(\d+)$/;

/** Words in the engine's formats; json as the API returns them, with all metadata. */
export const wordsWriter = {
  write(
    document: WordsDocument,
    format: string,
    { maxLineLength, maxLines, speakerNames }: WordsLayout = {},
  ): string {
    if (format === "json") {
      const { text, lines, metadata } = toWords(document, undefined);
      return JSON.stringify({ text, lines, metadata });
    }
    const speakers = listSpeakers(document);
    const names = speakers.map(nameSpeaker);
    return writeText(toTimedText(document, speakers), format as TextFormat, {
      ...(maxLineLength === undefined ? {} : { rowWidth: maxLineLength }),
      ...(maxLines === undefined ? {} : { rows: maxLines }),
      // Whoever names the speakers wants their names to be read.
      hasNames: speakerNames === true || speakers.some((speaker) => !NUMBERED.test(String(speaker))),
      names,
    });
  },
};

const listSpeakers = ({ lines }: WordsDocument): Speaker[] => [
  ...new Set(
    lines.flatMap(({ speaker, words }) =>
      [...words.map((word) => word.speaker ?? speaker)].filter((each) => each !== undefined),
    ),
  ),
];

function nameSpeaker(speaker: Speaker): string {
  const number = NUMBERED.exec(String(speaker))?.[1];
  return number === undefined ? String(speaker).replace(/\s+/gu, " ").trim() : `Speaker ${number}`;
}

function toTimedText(
  { lines, metadata, durationSeconds }: WordsDocument,
  speakers: readonly Speaker[],
): TimedText {
  const toNumber = (speaker: Speaker | undefined) =>
    speaker === undefined ? {} : { speaker: speakers.indexOf(speaker) + 1 };
  return {
    lines: lines.map(({ words, speaker }) => ({
      words: words.map(({ start, end, text, confidence, speaker: own = speaker }) => ({
        text,
        startSeconds: start,
        endSeconds: end,
        confidence,
        ...toNumber(own),
      })),
    })),
    durationSeconds,
    metadata: { language: metadata.language ?? "und", languageConfidence: 1, model: "" },
  };
}
