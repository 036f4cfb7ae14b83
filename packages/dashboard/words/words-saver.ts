import { effect, type ReadonlySignal, signal } from "@preact/signals";
import { ApiError, ConnectionError, type Words, type WordsEditInput } from "@stemwright/sdk";
import type { WordsDraft } from "./words-drafts.ts";
import { toWordsLines, type WordsLines } from "./words-lines.ts";

const PAUSE_MS = 700;
const RETRY_MIN_MS = 2000;
const RETRY_MAX_MS = 30_000;

export type SaveState = "saved" | "waiting" | "saving" | "offline" | "failed" | "conflict";

/** Saves edits when typing pauses, one after the other; what the service does not have yet is kept in the browser. */
export type WordsSaver = {
  state: ReadonlySignal<SaveState>;
  isEdited: ReadonlySignal<boolean>;
  /** The words the service has, if somebody else has changed them. */
  theirs: ReadonlySignal<Words | undefined>;
  /** Saves pending edits now. */
  flush(): Promise<void>;
  /** Ends a conflict: saves these words in place of theirs. */
  keepMine(): Promise<void>;
  /** Another tab of this browser has saved that revision. */
  hear(revision: number): Promise<void>;
  close(): void;
};

/** A lost connection, or a service that is stopping: the same save will succeed later. */
const isOutage = (error: unknown) =>
  error instanceof ConnectionError ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 429));

export function makeWordsSaver(options: {
  lines: ReadonlySignal<WordsLines>;
  past: ReadonlySignal<readonly WordsLines[]>;
  words: Words;
  /** What was found in the browser, if `lines` are from there. */
  draft?: WordsDraft | undefined;
  load(): Promise<Words>;
  save(edit: WordsEditInput): Promise<Words>;
  keep(draft: WordsDraft): Promise<void>;
  onSaved?(revision: number): void;
  onError(error: unknown): void;
}): WordsSaver {
  const { words, draft } = options;
  const isStale = draft !== undefined && !draft.isSaved && draft.revision !== words.revision;
  const state = signal<SaveState>(isStale ? "conflict" : "saved");
  const theirs = signal<Words | undefined>(isStale ? words : undefined);
  const isEdited = signal(words.isEdited);
  let { revision } = words;
  let saved: WordsLines | undefined = draft && !draft.isSaved ? undefined : options.lines.value;
  let saving: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = RETRY_MIN_MS;
  const isPending = () => options.lines.peek() !== saved;

  const keep = (isSaved: boolean) =>
    void options.keep({
      revision: isStale && state.peek() === "conflict" ? draft.revision : revision,
      lines: options.lines.peek(),
      past: options.past.peek(),
      isSaved,
      atMs: Date.now(),
    });

  async function saveAll(): Promise<void> {
    while (isPending()) {
      const lines = options.lines.peek();
      state.value = "saving";
      const edit = { revision, lines: lines.map((line) => ({ ...line, words: [...line.words] })) };
      ({ revision } = await options.save(edit));
      saved = lines;
      isEdited.value = true;
      options.onSaved?.(revision);
    }
    retryMs = RETRY_MIN_MS;
    state.value = "saved";
    keep(true);
  }

  async function fail(error: unknown): Promise<void> {
    if (error instanceof ApiError && error.code === "WORDS_CHANGED") {
      theirs.value = await options.load().catch(() => undefined);
      state.value = "conflict";
      return;
    }
    if (isOutage(error)) {
      state.value = "offline";
      timer = setTimeout(() => void flush(), retryMs);
      retryMs = Math.min(RETRY_MAX_MS, 2 * retryMs);
      return;
    }
    state.value = "failed";
    options.onError(error);
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    if (state.peek() === "conflict") return;
    saving ??= saveAll()
      .catch(fail)
      .finally(() => {
        saving = undefined;
      });
    await saving;
  }

  const stop = effect(() => {
    if (options.lines.value === saved) return;
    keep(false);
    clearTimeout(timer);
    if (state.peek() === "conflict") return;
    if (state.peek() !== "saving") state.value = "waiting";
    timer = setTimeout(() => void flush(), PAUSE_MS);
  });
  return {
    state,
    isEdited,
    theirs,
    flush,
    async keepMine() {
      const newest = theirs.peek() ?? (await options.load());
      ({ revision } = newest);
      theirs.value = undefined;
      state.value = "waiting";
      saved = undefined;
      await flush();
    },
    async hear(heard) {
      if (heard <= revision || state.peek() === "conflict" || saving) return;
      theirs.value = await options.load();
      state.value = "conflict";
    },
    close() {
      stop();
      clearTimeout(timer);
      if (isPending()) void flush();
    },
  };
}

/** The lines that two versions have differently, next to each other. */
export function compareLines(mine: WordsLines, theirs: Words): { mine: string; theirs: string }[] {
  const texts = (lines: WordsLines) =>
    lines.map(({ words, speaker }) => `${speaker ?? ""} ${words.map(({ text }) => text).join("")}`.trim());
  const [own, other] = [texts(mine), texts(toWordsLines(theirs.lines))];
  const [inOwn, inOther] = [new Set(own), new Set(other)];
  const changed = own.filter((text) => !inOther.has(text));
  const changedThere = other.filter((text) => !inOwn.has(text));
  return Array.from({ length: Math.max(changed.length, changedThere.length) }, (_, n) => ({
    mine: changed[n] ?? "",
    theirs: changedThere[n] ?? "",
  }));
}
