import { deflateSync } from "node:zlib";
import type { OpenAiSegment, OpenAiTranscription, OpenAiVerboseTranscription } from "@stemwright/contract";
import { toLanguageName } from "../language-names.ts";
import type { WaitingResult } from "../run-waiting-task.ts";
import { parseTranscriptJson, type TranscriptLine } from "../transcript.ts";

const toUsage = (durationSeconds: number) => ({
  type: "duration" as const,
  seconds: Math.ceil(durationSeconds),
});

const roundTo = (value: number, decimals: number) => Number(value.toFixed(decimals));

type Granularities = readonly ("word" | "segment")[];

/** OpenAI returns times only in verbose_json; clients such as Subtitle Edit request them in json. */
export function toTranscription(
  { content, durationSeconds }: WaitingResult,
  granularities: Granularities = [],
): OpenAiTranscription {
  const { text, lines } = parseTranscriptJson(content);
  return { text: text.trim(), ...toTimes(lines, granularities), usage: toUsage(durationSeconds) };
}

function toTimes(lines: readonly TranscriptLine[], granularities: Granularities) {
  const words = lines.flatMap((line) =>
    line.words.map((word) => ({ word: word.text.trim(), start: word.start, end: word.end })),
  );
  return {
    ...(granularities.includes("segment") ? { segments: lines.map(toSegment) } : {}),
    ...(granularities.includes("word") ? { words } : {}),
  };
}

/** Whisper's compression ratio: high values mean a repetitive text. */
function findCompressionRatio(text: string): number {
  const bytes = Buffer.from(text);
  return bytes.length / deflateSync(bytes).length;
}

/** A confidence of 0 has no logarithm; with three decimals this is the minimum. */
const MIN_CONFIDENCE = 0.0005;

function toSegment({ start, end, text, words }: TranscriptLine, id: number): OpenAiSegment {
  const logProbs = words.map(({ confidence }) => Math.log(Math.max(confidence, MIN_CONFIDENCE)));
  const sum = logProbs.reduce((total, value) => total + value, 0);
  return {
    id,
    seek: 0,
    start,
    end,
    text,
    tokens: [],
    temperature: 0,
    avg_logprob: roundTo(sum / Math.max(1, words.length), 4),
    compression_ratio: roundTo(findCompressionRatio(text), 4),
    no_speech_prob: 0,
  };
}

export function toVerboseTranscription(
  { content, durationSeconds }: WaitingResult,
  { task, granularities }: Pick<OpenAiVerboseTranscription, "task"> & { granularities: Granularities },
): OpenAiVerboseTranscription {
  const { text, lines, metadata } = parseTranscriptJson(content);
  return {
    task,
    language: toLanguageName(metadata.language),
    duration: durationSeconds,
    text: text.trim(),
    ...toTimes(lines, granularities),
    usage: toUsage(durationSeconds),
  };
}
