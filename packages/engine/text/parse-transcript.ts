import { z } from "zod";
import { EngineError } from "../engine-error.ts";

/** Enough for an hour of the fastest speech, ten times over. */
const MAX_BYTES = 4 * 1024 * 1024;

const jsonSchema = z.union([
  z.object({ text: z.string() }),
  z.object({ lines: z.array(z.object({ text: z.string() })) }),
]);

/**
 * The text of a transcript that a client gave: plain text in UTF-8, or json with `text` or with lines, as our own output has both.
 * What is neither is refused with what would be taken.
 */
export function parseTranscript(bytes: Uint8Array): string {
  if (bytes.length > MAX_BYTES) throw unusable("The transcript is larger than 4 MiB.");
  const text = decode(bytes);
  if (text.trim() === "") throw unusable("The transcript is empty.");
  return /^\s*[{[]/.test(text) ? (findJsonText(text) ?? text) : text;
}

function decode(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unusable("The transcript is not text in UTF-8.");
  }
  if (text.includes("\0")) throw unusable("The transcript is not text in UTF-8.");
  return text;
}

/** Undefined for what only begins like json, such as lyrics with "[Chorus]". */
function findJsonText(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const transcript = jsonSchema.safeParse(value).data;
  if (transcript === undefined) {
    throw unusable('The transcript is json without a "text" or "lines" of { "text" }.');
  }
  const found = "text" in transcript ? transcript.text : transcript.lines.map((line) => line.text).join("\n");
  if (found.trim() === "") throw unusable("The transcript's text is empty.");
  return found;
}

function unusable(message: string): EngineError {
  return new EngineError("transcript-unusable", message);
}
