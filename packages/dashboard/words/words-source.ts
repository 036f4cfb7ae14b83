import type { Gap, TextOutputFormat, TimedLine, Words, WordsEditInput, WordsVersion } from "@stemwright/sdk";
import { apiClient } from "../account/api-client.ts";

/** Where words come from, and which operations that source supports. */
export type WordsSource = {
  /** Identifies the source. */
  key: string;
  load(signal: AbortSignal): Promise<Words>;
  exportAs(format: TextOutputFormat, version: WordsVersion): Promise<Response>;
  /** Absent if they are read-only. */
  edit?: {
    save(edit: WordsEditInput): Promise<Words>;
    reset(): Promise<Words>;
    align(gap: Gap, signal: AbortSignal): Promise<TimedLine[]>;
  };
};

export function makeTaskSource(taskId: string, targetId: string): WordsSource {
  const target = { taskId, targetId };
  const { words } = apiClient.tasks;
  return {
    key: targetId,
    load: (signal) => words.get(target, { signal }),
    exportAs: (format, version) => words.export(target, format, { version }),
    edit: {
      save: (edit) => words.save(target, edit),
      reset: () => words.reset(target),
      align: (gap, signal) => words.align(target, gap, { signal }),
    },
  };
}

export const makeSharedSource = (token: string, targetId: string): WordsSource => ({
  key: targetId,
  load: (signal) => apiClient.shares.words(token, targetId, { signal }),
  exportAs: (format, version) => apiClient.shares.exportWords(token, { targetId, format, version }),
});
