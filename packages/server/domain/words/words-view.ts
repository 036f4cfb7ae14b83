import type { TimedLine, Words } from "@stemwright/contract";
import type { EditRecord, WordsDocument, WordsLine } from "./words-record.ts";

/** A line as readers see it: its times are those of its first and last word, its text joins them. */
export function toTimedLine({ words, speaker }: WordsLine): TimedLine {
  return {
    start: words[0]?.start ?? 0,
    end: words.at(-1)?.end ?? 0,
    text: words.map(({ text }) => text).join(""),
    words,
    ...(speaker === undefined ? {} : { speaker }),
  };
}

export function toWords(document: WordsDocument, edit: EditRecord | undefined): Words {
  const lines = document.lines.map(toTimedLine);
  return {
    revision: edit?.revision ?? 0,
    isEdited: edit !== undefined && edit.document !== null,
    updatedAt: edit?.updatedAt.toISOString() ?? null,
    text: lines.map(({ text }) => text).join(""),
    lines,
    metadata: document.metadata,
    duration: document.durationSeconds,
  };
}
