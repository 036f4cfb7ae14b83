import type { TimedLine, TimedWord, Words } from "@stemwright/contract";

export type WordsLine = Pick<TimedLine, "speaker"> & { words: TimedWord[] };

/** Words with what is to be known of them to write them in any form. */
export type WordsDocument = {
  lines: WordsLine[];
  metadata: Words["metadata"];
  durationSeconds: number;
};

/** A client's version of a target's words; without a document they are the service's own again. */
export type EditRecord = { revision: number; updatedAt: Date; document: WordsDocument | null };

export interface WordsStore {
  findEdit(targetId: string): Promise<EditRecord | undefined>;
  /** Undefined where the words are no longer of the revision that the change is based on, or the target is gone. */
  saveEdit(
    targetId: string,
    change: { revision: number; document: WordsDocument | null },
  ): Promise<EditRecord | undefined>;
}

/** Writes words in any of the forms that targets have. */
export interface TextWriter {
  write(document: WordsDocument, format: string): string;
}
