import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { WordsLines } from "./words-lines.ts";

const MAX_STEPS = 200;

/** The edited words, with undo and redo. */
export type EditHistory = {
  lines: ReadonlySignal<WordsLines>;
  canUndo: ReadonlySignal<boolean>;
  canRedo: ReadonlySignal<boolean>;
  /** Earlier versions, the oldest first. */
  past: ReadonlySignal<readonly WordsLines[]>;
  change(lines: WordsLines): void;
  /** Updates a step in progress, such as a drag: it is undone as one. */
  amend(lines: WordsLines): void;
  undo(): void;
  redo(): void;
};

/** `before` are the earlier versions of a history that is continued. */
export function makeEditHistory(first: WordsLines, before: readonly WordsLines[] = []): EditHistory {
  const past = signal<readonly WordsLines[]>(before);
  const future = signal<readonly WordsLines[]>([]);
  const lines = signal(first);
  const move = (from: typeof past, to: typeof past) => {
    const next = from.value.at(-1);
    if (!next) return;
    to.value = [...to.value, lines.value];
    from.value = from.value.slice(0, -1);
    lines.value = next;
  };
  return {
    lines,
    past,
    canUndo: computed(() => past.value.length > 0),
    canRedo: computed(() => future.value.length > 0),
    change(next) {
      if (next === lines.value) return;
      past.value = [...past.value, lines.value].slice(-MAX_STEPS);
      future.value = [];
      lines.value = next;
    },
    amend(next) {
      lines.value = next;
    },
    undo: () => move(past, future),
    redo: () => move(future, past),
  };
}
