import type { Words } from "@stemwright/sdk";
import { reportError } from "../parts/toast.ts";
import type { EditHistory } from "./edit-history.ts";
import { type WordsDraft, wordsDrafts } from "./words-drafts.ts";
import { makeWordsSaver, type WordsSaver } from "./words-saver.ts";
import type { WordsSource } from "./words-source.ts";

/** Tells the other tabs of this browser which revision was saved. */
const CHANNEL = "stemwright-words";

/** The saver of a target's words while they are shown; undefined if they are read-only. The page asks before it is left with edits that are not saved. */
export function openWordsSaver({
  history,
  words,
  draft,
  source,
}: {
  history: EditHistory;
  words: Words;
  draft: WordsDraft | undefined;
  source: WordsSource;
}): WordsSaver | undefined {
  const { key, edit } = source;
  if (!edit) return undefined;
  const channel = new BroadcastChannel(CHANNEL);
  const saver = makeWordsSaver({
    ...{ lines: history.lines, past: history.past, words, draft },
    load: () => source.load(new AbortController().signal),
    save: edit.save,
    keep: (next) => wordsDrafts.save(key, next),
    onSaved: (revision) => channel.postMessage({ key, revision }),
    onError: reportError,
  });
  const listeners = new AbortController();
  const { signal } = listeners;
  channel.addEventListener(
    "message",
    ({ data }: MessageEvent<{ key: string; revision: number }>) => {
      if (data.key === key) saver.hear(data.revision).catch(reportError);
    },
    { signal },
  );
  const ask = (event: BeforeUnloadEvent) => {
    if (saver.state.peek() !== "saved") event.preventDefault();
  };
  const retry = () => {
    if (saver.state.peek() === "offline") void saver.flush();
  };
  addEventListener("beforeunload", ask, { signal });
  addEventListener("online", retry, { signal });
  return {
    ...saver,
    close() {
      listeners.abort();
      saver.close();
      // What is still to be saved is told to the other tabs, too.
      void saver.flush().finally(() => channel.close());
    },
  };
}
