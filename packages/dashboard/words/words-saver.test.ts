import { signal } from "@preact/signals";
import { ApiError, ConnectionError, type Words, type WordsEditInput } from "@stemwright/sdk";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WordsDraft } from "./words-drafts.ts";
import type { WordsLines } from "./words-lines.ts";
import { compareLines, makeWordsSaver } from "./words-saver.ts";

const say = (text: string): WordsLines => [{ words: [{ text, start: 0, end: 1, confidence: 1 }] }];
const toWords = (text: string, revision: number) =>
  ({ revision, isEdited: revision > 0, lines: say(text) }) as unknown as Words;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A service that refuses edits of other revisions, and may be out of reach. */
function open(draft?: WordsDraft, revision = 0) {
  const service = { words: toWords("first", revision), failure: undefined as unknown };
  const lines = signal<WordsLines>(draft?.lines ?? say("first"));
  const kept: WordsDraft[] = [];
  const errors: unknown[] = [];
  const saver = makeWordsSaver({
    lines,
    past: signal([]),
    words: service.words,
    draft,
    load: async () => service.words,
    save: async (edit: WordsEditInput) => {
      if (service.failure) throw service.failure;
      if (edit.revision !== service.words.revision)
        throw new ApiError("changed", { status: 409, code: "WORDS_CHANGED" } as never);
      service.words = toWords(edit.lines[0]?.words[0]?.text ?? "", edit.revision + 1);
      return service.words;
    },
    keep: async (next) => void kept.push(next),
    onError: (error) => errors.push(error),
  });
  return { service, lines, saver, kept, errors };
}
const textOf = (words: Pick<Words, "lines">) => words.lines[0]?.words[0]?.text;

describe("[WP4] edits of words", () => {
  it("are in the browser at once, and with the service after a pause", async () => {
    const { service, lines, saver, kept } = open();
    lines.value = say("second");
    expect(kept.at(-1)).toMatchObject({ isSaved: false, lines: say("second"), revision: 0 });
    expect(saver.state.value).toBe("waiting");
    await vi.advanceTimersByTimeAsync(1000);
    expect([textOf(service.words), saver.state.value]).toEqual(["second", "saved"]);
    expect(kept.at(-1)).toMatchObject({ isSaved: true, revision: 1 });
  });

  it("are saved once the connection is back, those made meanwhile too", async () => {
    const { service, lines, saver, errors } = open();
    service.failure = new ConnectionError("gone");
    lines.value = say("second");
    await vi.advanceTimersByTimeAsync(1000);
    expect(saver.state.value).toBe("offline");
    lines.value = say("third");
    await vi.advanceTimersByTimeAsync(1000);
    expect(saver.state.value).toBe("offline");
    service.failure = undefined;
    await vi.advanceTimersByTimeAsync(30_000);
    expect([textOf(service.words), saver.state.value, errors]).toEqual(["third", "saved", []]);
  });

  it("that a closed page left are saved by the next one", async () => {
    const draft = { revision: 0, lines: say("left"), past: [], isSaved: false, atMs: 0 };
    const { service, saver } = open(draft);
    await vi.advanceTimersByTimeAsync(1000);
    expect([textOf(service.words), saver.state.value]).toEqual(["left", "saved"]);
  });

  it("of two people are shown beside each other, and neither is lost without being asked", async () => {
    const { service, lines, saver, kept } = open();
    service.words = toWords("theirs", 1);
    lines.value = say("mine");
    await vi.advanceTimersByTimeAsync(1000);
    expect(saver.state.value).toBe("conflict");
    expect(compareLines(lines.value, saver.theirs.value as Words)).toEqual([
      { mine: "mine", theirs: "theirs" },
    ]);
    lines.value = say("mine too");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(textOf(service.words)).toBe("theirs");
    expect(kept.at(-1)).toMatchObject({ isSaved: false, lines: say("mine too") });
    await saver.keepMine();
    expect([textOf(service.words), saver.state.value]).toEqual(["mine too", "saved"]);
  });

  it("of an older revision that a closed page left are a conflict", async () => {
    const draft = { revision: 0, lines: say("left"), past: [], isSaved: false, atMs: 0 };
    const { service, saver } = open(draft, 3);
    await vi.advanceTimersByTimeAsync(60_000);
    expect([textOf(service.words), saver.state.value]).toEqual(["first", "conflict"]);
  });

  it("of another tab are seen before the next edit", async () => {
    const { service, saver } = open();
    service.words = toWords("other tab", 1);
    await saver.hear(1);
    expect(saver.state.value).toBe("conflict");
    await saver.hear(0);
  });
});
