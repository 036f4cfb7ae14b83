import { z } from "zod";
import { EngineError } from "../engine-error.ts";

/** Ten times an hour of the fastest speech. */
export const MAX_TRANSCRIPT_BYTES = 4 * 1024 * 1024;

/** A line of our own output, a segment as speech networks write it, or just its text. */
const lineSchema = z.union([
  z.string(),
  z.object({ text: z.string() }).transform(({ text }) => text),
  z
    .object({
      words: z.array(z.union([z.object({ text: z.string() }), z.object({ word: z.string() })])).min(1),
    })
    .transform(({ words }) => words.map((word) => ("text" in word ? word.text : word.word)).join("")),
]);
const linesSchema = z.array(lineSchema).min(1);

const jsonSchema = z.union([
  z.object({ text: z.string(), segments: linesSchema.optional().catch(undefined) }),
  z.object({ lines: linesSchema }),
  z.object({ segments: linesSchema }),
  linesSchema.transform((lines) => ({ lines })),
]);

const UTF_16_MARKS = [
  { bytes: [0xff, 0xfe], encoding: "utf-16le" },
  { bytes: [0xfe, 0xff], encoding: "utf-16be" },
] as const;

/**
 * The text of a client's transcript: plain text in UTF-8, or in UTF-16 with a byte order mark, or JSON with `text`, `lines` or `segments`. Anything
 * else is refused with an explanation of what is accepted.
 */
export function parseTranscript(bytes: Uint8Array): string {
  if (bytes.length > MAX_TRANSCRIPT_BYTES) throw unusable("The transcript is larger than 4 MiB.");
  const text = decode(bytes);
  if (isBlank(text)) throw unusable("The transcript is empty: it holds nothing but white space.");
  return /^\s*[{[]/.test(text) ? (findJsonText(text) ?? text) : text;
}

/** Invisible format characters, such as a byte order mark, are not words. */
const isBlank = (text: string) => /^[\s\p{Cf}]*$/u.test(text);

function decode(bytes: Uint8Array): string {
  const mark = UTF_16_MARKS.find(({ bytes: [first, second] }) => bytes[0] === first && bytes[1] === second);
  let text: string;
  try {
    text = new TextDecoder(mark?.encoding ?? "utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unusable(
      "The transcript is not text in UTF-8, nor in UTF-16 with a byte order mark; Latin-1, say, can't be told from others. Save it as UTF-8.",
    );
  }
  if (text.includes("\0"))
    throw unusable(
      "The transcript holds zeros: it is no text, or UTF-16 without a byte order mark. Save it as UTF-8.",
    );
  return text;
}

/** Undefined for text that only looks like JSON at first, such as lyrics with "[Chorus]". */
function findJsonText(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const transcript = jsonSchema.safeParse(value).data;
  if (transcript === undefined) {
    throw unusable('The transcript is json without a "text", or "lines" or "segments" of { "text" }.');
  }
  const found = toText(transcript);
  if (isBlank(found)) throw unusable("The transcript's text is empty.");
  return found;
}

function toText(transcript: z.output<typeof jsonSchema>): string {
  const segments = "segments" in transcript ? transcript.segments?.map((line) => line.trim()) : undefined;
  if ("lines" in transcript) return transcript.lines.map((line) => line.replace(/\r?\n$/, "")).join("\n");
  const joined = segments?.join("\n");
  if (!("text" in transcript)) return joined ?? "";
  // The same words, plus the line ends.
  return joined !== undefined && withoutSpace(joined) === withoutSpace(transcript.text)
    ? joined
    : transcript.text;
}

const withoutSpace = (text: string) => text.replace(/\s+/g, "");

function unusable(message: string): EngineError {
  return new EngineError("transcript-unusable", message);
}
