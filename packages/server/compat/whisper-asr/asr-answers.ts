import type { AsrOutput, AsrQuery, DetectedLanguage } from "@stemwright/contract";
import { toLanguageName } from "../language-names.ts";
import { parseTranscriptJson, type Transcript, type TranscriptLine } from "../transcript.ts";

/** The output of the Task that a response is made from. */
export const OUTPUT_OF: Record<AsrOutput, "json" | "srt" | "vtt"> = {
  txt: "json",
  tsv: "json",
  json: "json",
  srt: "srt",
  vtt: "vtt",
};

const toMs = (seconds: number) => Math.round(seconds * 1000);

const toTxt = ({ lines }: Transcript) => lines.map(({ text }) => `${text.trim()}\n`).join("");

const toTsvRow = ({ start, end, text }: TranscriptLine) =>
  `${toMs(start)}\t${toMs(end)}\t${text.trim().replaceAll("\t", " ")}\n`;
const toTsv = ({ lines }: Transcript) => `start\tend\ttext\n${lines.map(toTsvRow).join("")}`;

function toJson({ text, lines, metadata }: Transcript, { word_timestamps: hasWords }: AsrQuery): string {
  const segments = lines.map((line, id) => ({
    id,
    start: line.start,
    end: line.end,
    text: line.text,
    ...(hasWords
      ? {
          words: line.words.map((word) => ({
            word: word.text,
            start: word.start,
            end: word.end,
            probability: word.confidence,
          })),
        }
      : {}),
  }));
  return JSON.stringify({ text: text.trim(), segments, language: metadata.language });
}

export function toAsrAnswer(content: string, query: AsrQuery): string {
  const { output } = query;
  if (output === "srt" || output === "vtt") return content;
  const transcript = parseTranscriptJson(content);
  if (output === "txt") return toTxt(transcript);
  return output === "tsv" ? toTsv(transcript) : toJson(transcript, query);
}

export function toDetectedLanguage(content: string): DetectedLanguage {
  const { language, languageConfidence } = parseTranscriptJson(content).metadata;
  return {
    detected_language: toLanguageName(language),
    language_code: language,
    confidence: languageConfidence,
  };
}
