import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { TextOutputFormat, TimedWord, Words, WordsVersion } from "@stemwright/sdk";
import { announce, reportError } from "../parts/toast.ts";
import type { Clock } from "./clock.ts";
import { type EditHistory, makeEditHistory } from "./edit-history.ts";
import { type EditedGap, editText, placeAligned } from "./edit-text.ts";
import { moveEdge, tapTimes } from "./edit-times.ts";
import type { LineActions } from "./LineEditor.tsx";
import { openWordsSaver } from "./open-words-saver.ts";
import type { SpeakerScope } from "./SpeakerDialog.tsx";
import { assignLine, assignSelection, renameSpeaker, type Speaker, type WordsSelection } from "./speakers.ts";
import { type WordsDraft, wordsDrafts } from "./words-drafts.ts";
import { endOf, findPlace, findRoom, joinLine, type Place, startOf, toWordsLines } from "./words-lines.ts";
import type { WordsSaver } from "./words-saver.ts";
import type { WordsSource } from "./words-source.ts";

/** Lead-in played before an aligned gap. */
const LEAD_SECONDS = 0.7;
/** How much of the recording around a line is aligned with it, and at most in all. */
const AROUND_SECONDS = 5;
const MAX_ALIGNED_SECONDS = 60;

export type SpeakerQuestion = { line: number; selection?: WordsSelection };

/** The words of one target while they are shown: their edits, the line that is open, and the playback that follows them. */
export class WordsEditor {
  readonly #source: WordsSource;
  readonly #clock: Clock;
  readonly #durationSeconds: number;
  readonly history: EditHistory;
  /** Absent if the words are read-only. */
  readonly saver: WordsSaver | undefined;
  /** The index of the line that is edited. */
  readonly openLine: Signal<number | undefined> = signal(undefined);
  /** The word at the playhead. */
  readonly current: ReadonlySignal<Place | undefined>;

  /** What the dialog about speakers is for, while it is open. */
  readonly asked: Signal<SpeakerQuestion | undefined> = signal(undefined);

  constructor({
    words,
    draft,
    source,
    clock,
  }: {
    words: Words;
    /** What this browser has of an earlier visit. */
    draft: WordsDraft | undefined;
    source: WordsSource;
    clock: Clock;
  }) {
    this.#source = source;
    this.#clock = clock;
    this.#durationSeconds = words.duration;
    // Saved ones continue the history; others come before what the service has.
    const found = draft?.isSaved && draft.revision !== words.revision ? undefined : draft;
    const history = makeEditHistory(found?.lines ?? toWordsLines(words.lines), found?.past);
    this.history = history;
    this.saver = openWordsSaver({ history, words, draft: found, source });
    this.current = computed(() => findPlace(history.lines.value, clock.seconds.value));
  }

  close(): void {
    this.saver?.close();
  }

  toggleLine(index: number): void {
    this.openLine.value = this.openLine.peek() === index ? undefined : index;
  }

  /** How far the times of a line can move. */
  roomOf(index: number): { start: number; end: number } {
    return findRoom(this.history.lines.peek(), index, this.#durationSeconds);
  }

  async exportAs(format: TextOutputFormat, version: WordsVersion): Promise<Response> {
    await this.saver?.flush();
    return await this.#source.exportAs(format, version);
  }

  /** Returns the original words; undefined if they are read-only. */
  async reset(): Promise<Words | undefined> {
    await this.saver?.flush();
    const reset = await this.#source.edit?.reset();
    if (reset) await wordsDrafts.remove(this.#source.key);
    return reset;
  }

  /** Ends a conflict with the words that somebody else has saved. */
  async takeTheirs(): Promise<Words> {
    const theirs = this.saver?.theirs.peek() ?? (await this.#source.load(new AbortController().signal));
    await wordsDrafts.remove(this.#source.key);
    return theirs;
  }

  /** Renames a speaker, or gives what was asked about to one. */
  applySpeaker(scope: SpeakerScope, speaker: Speaker): void {
    const asked = this.asked.peek();
    if (!asked) return;
    const all = this.history.lines.peek();
    const from = all[asked.line]?.speaker;
    if (scope === "selection" && asked.selection)
      this.history.change(assignSelection(all, asked.selection, speaker));
    else if (scope === "everything" && from !== undefined)
      this.history.change(renameSpeaker(all, from, speaker));
    else this.history.change(assignLine(all, asked.line, speaker));
  }

  readonly seek = ({ line, word }: Place): void => {
    const at = this.history.lines.peek()[line]?.words[word]?.start;
    if (at !== undefined) this.#clock.seek(at);
  };

  actionsOf(index: number): LineActions {
    const { history } = this;
    return {
      setText: (text) => this.#setText(index, text),
      moveEdge: ({ isNew, ...move }) => {
        const durationSeconds = this.#durationSeconds;
        const moved = moveEdge(history.lines.peek(), { line: index, ...move, durationSeconds });
        if (isNew) history.change(moved);
        else history.amend(moved);
      },
      setTaps: (taps) => {
        const all = history.lines.peek();
        const line = all[index];
        if (line) history.change(all.with(index, tapTimes(line, taps, this.roomOf(index))));
      },
      align: () => this.#alignLine(index),
      changeSpeaker: () => {
        this.asked.value = { line: index };
      },
      play: () => {
        const line = history.lines.peek()[index];
        if (line) this.#play(startOf(line), endOf(line));
      },
      close: () => {
        this.openLine.value = undefined;
      },
    };
  }

  readonly onKey = (event: KeyboardEvent): void => {
    const isUndo = event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey);
    // In an open line, all other keys are its own.
    if (!isUndo && event.target !== event.currentTarget) return;
    const place = this.current.peek() ?? { line: 0, word: 0 };
    const flat = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const down = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (isUndo) event.shiftKey ? this.history.redo() : this.history.undo();
    else if (flat !== undefined) this.#step(place, flat);
    else if (down !== undefined) this.seek({ line: place.line + down, word: 0 });
    else if (event.key === " ") this.#clock.isPlaying.peek() ? this.#clock.pause() : this.#clock.play();
    else if (event.key === "Enter" && this.#source.edit) this.openLine.value = place.line;
    else return;
    event.preventDefault();
  };

  /** To the next or previous word, over the ends of lines. */
  #step(place: Place, by: number): void {
    const all = this.history.lines.peek();
    const next = place.word + by;
    const count = all[place.line]?.words.length ?? 0;
    if (next >= 0 && next < count) this.seek({ ...place, word: next });
    else if (next < 0)
      this.seek({ line: place.line - 1, word: (all[place.line - 1]?.words.length ?? 1) - 1 });
    else this.seek({ line: place.line + 1, word: 0 });
  }

  #play(start: number, end: number): void {
    const clock = this.#clock;
    clock.seek(Math.max(0, start - LEAD_SECONDS));
    clock.play();
    const stop = clock.seconds.subscribe((now) => {
      if (now < end + LEAD_SECONDS && now >= start - 2 * LEAD_SECONDS) return;
      clock.pause();
      queueMicrotask(() => stop());
    });
  }

  async #setText(index: number, text: string): Promise<void> {
    const durationSeconds = this.#durationSeconds;
    const edited = editText(this.history.lines.peek(), { line: index, text, durationSeconds });
    this.history.change(edited.lines);
    if (text.trim() === "") this.openLine.value = undefined;
    if (edited.gap) await this.#align(edited.gap, this.#wordsOf(edited.gap)).catch(reportError);
  }

  async #alignLine(index: number): Promise<void> {
    const all = this.history.lines.peek();
    const line = all[index];
    if (!line) return;
    const room = this.roomOf(index);
    const start = Math.max(room.start, startOf(line) - AROUND_SECONDS);
    const end = Math.min(room.end, endOf(line) + AROUND_SECONDS, start + MAX_ALIGNED_SECONDS);
    const gap = { line: index, first: 0, count: line.words.length, text: joinLine(line), start, end };
    this.history.change(all.with(index, { ...line, words: [...line.words] }));
    await this.#align(gap, this.#wordsOf(gap));
  }

  #wordsOf({ line, first, count }: EditedGap): readonly TimedWord[] {
    return this.history.lines.peek()[line]?.words.slice(first, first + count) ?? [];
  }

  /** Requests the times of a gap, applies them, and plays the gap. */
  async #align(gap: EditedGap, estimated: readonly TimedWord[]): Promise<void> {
    const { edit } = this.#source;
    if (!edit) return;
    const { history } = this;
    const { text, start, end } = gap;
    const found = (await edit.align({ text, start, end }, new AbortController().signal)).flatMap(
      (line) => line.words,
    );
    const placed = placeAligned(history.lines.peek(), gap, { estimated, found });
    if (placed === history.lines.peek()) return;
    // The estimate and the aligned times are undone together.
    history.amend(placed);
    announce("Aligned. Only the edited words have new times.");
    this.#play(found[0]?.start ?? start, found.at(-1)?.end ?? end);
  }
}
