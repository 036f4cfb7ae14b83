import type { TargetOptions, TimedLine, TimedWord, Words } from "@stemwright/contract";

export type WordsLine = Pick<TimedLine, "speaker"> & { words: TimedWord[] };

/** Words with everything needed to write them in any format. */
export type WordsDocument = {
  lines: WordsLine[];
  metadata: Words["metadata"];
  durationSeconds: number;
};

/** A client's version of a target's words; without a document the service's own apply. */
export type EditRecord = { revision: number; updatedAt: Date; document: WordsDocument | null };

export interface WordsStore {
  findEdit(targetId: string): Promise<EditRecord | undefined>;
  /** Undefined if the words have another revision by now, or the target is gone. */
  saveEdit(
    targetId: string,
    change: { revision: number; document: WordsDocument | null },
  ): Promise<EditRecord | undefined>;
}

/** How a target's subtitles are laid out, and whether they name the speakers. */
export type WordsLayout = Pick<TargetOptions, "maxLineLength" | "maxLines" | "speakerNames">;
