import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { ApiError, type Words, type WordsEditInput } from "@stemwright/sdk";
import type { WordsLines } from "./words-lines.ts";

const PAUSE_MS = 700;

export type SaveState = "saved" | "waiting" | "saving" | "failed" | "conflict";

/** Saves edits when typing pauses, one after the other. */
export type WordsSaver = {
  state: ReadonlySignal<SaveState>;
  isEdited: ReadonlySignal<boolean>;
  /** Saves pending edits now. */
  flush(): Promise<void>;
  close(): void;
};

export function makeWordsSaver(options: {
  lines: ReadonlySignal<WordsLines>;
  words: Words;
  save(edit: WordsEditInput): Promise<Words>;
  onError(error: unknown): void;
}): WordsSaver {
  const state = signal<SaveState>("saved");
  const isEdited = signal(options.words.isEdited);
  let { revision } = options.words;
  let saved = options.lines.value;
  let saving: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function saveAll(): Promise<void> {
    while (options.lines.value !== saved) {
      const lines = options.lines.value;
      state.value = "saving";
      const edit = { revision, lines: lines.map((line) => ({ ...line, words: [...line.words] })) };
      ({ revision } = await options.save(edit));
      saved = lines;
      isEdited.value = true;
    }
    state.value = "saved";
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    if (state.value === "conflict") return;
    saving ??= saveAll()
      .catch((error: unknown) => {
        state.value = error instanceof ApiError && error.code === "WORDS_CHANGED" ? "conflict" : "failed";
        options.onError(error);
      })
      .finally(() => {
        saving = undefined;
      });
    await saving;
  }

  const stop = effect(() => {
    if (options.lines.value === saved) return;
    clearTimeout(timer);
    if (state.peek() === "conflict") return;
    if (state.peek() !== "saving") state.value = "waiting";
    timer = setTimeout(() => void flush(), PAUSE_MS);
  });
  return {
    state,
    isEdited,
    flush,
    close() {
      stop();
      void flush();
    },
  };
}
