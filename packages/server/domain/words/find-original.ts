import { text } from "node:stream/consumers";
import type { TimedWord } from "@stemwright/contract";
import type { Blobs } from "../ports.ts";
import { countLeadSeconds } from "../tasks/audio-offset.ts";
import { toWordsKey } from "../tasks/output-names.ts";
import type { TargetRecord, TaskRecord } from "../tasks/task-record.ts";
import type { WordsDocument, WordsLine } from "./words-record.ts";

/** Ten hours of words. Every byte is parsed by the process that answers all other requests. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const MAX_SECONDS = 1e6;

/** The words the service wrote for a target: its json output, or the copy stored if none was requested. Undefined if it is gone. */
export async function findOriginal(
  blobs: Pick<Blobs, "findSize" | "read">,
  task: Pick<TaskRecord, "id">,
  target: TargetRecord,
): Promise<WordsDocument | undefined> {
  const json = target.output.find(({ format }) => format === "json");
  const key = json?.blobKey ?? toWordsKey(task.id, target.id);
  const sizeBytes = await blobs.findSize(key);
  if (sizeBytes === undefined || sizeBytes > MAX_FILE_BYTES) return undefined;
  const file = parseFile(await text(await blobs.read(key)));
  return file && { ...file, durationSeconds: (target.durationSeconds ?? 0) + countLeadSeconds(target) };
}

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isBetween = (value: unknown, min: number, max: number): value is number =>
  typeof value === "number" && value >= min && value <= max;

/** By hand: a schema takes ten times as long, half a second for ten hours of words, and no other request is answered meanwhile. */
function parseFile(content: string): Pick<WordsDocument, "lines" | "metadata"> | undefined {
  const file = parseJson(content);
  if (!isFields(file) || !Array.isArray(file.lines)) return undefined;
  const lines = (file.lines as unknown[]).map(toLine);
  if (!lines.every((line) => line !== undefined)) return undefined;
  return { lines, metadata: isFields(file.metadata) ? file.metadata : {} };
}

function toLine(line: unknown): WordsLine | undefined {
  if (!isFields(line) || !Array.isArray(line.words)) return undefined;
  const words = (line.words as unknown[]).map(toWord);
  const speaker = toSpeaker(line.speaker);
  return words.every((word) => word !== undefined) ? { words, ...speaker } : undefined;
}

function toWord(word: unknown): TimedWord | undefined {
  if (!isFields(word)) return undefined;
  const { start, end, text, confidence, speaker } = word;
  const isTimed = isBetween(start, 0, MAX_SECONDS) && isBetween(end, 0, MAX_SECONDS);
  if (!isTimed || typeof text !== "string" || !isBetween(confidence, 0, 1)) return undefined;
  return { start, end, text, confidence, ...toSpeaker(speaker) };
}

const toSpeaker = (speaker: unknown) =>
  typeof speaker === "string" || Number.isInteger(speaker) ? { speaker: speaker as string | number } : {};

/** A customer's bucket may contain anything by now. */
function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
