import { useComputed, useSignal } from "@preact/signals";
import type { TextOutputFormat, TimedWord, Words } from "@stemwright/sdk";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Button } from "../parts/Button.tsx";
import { ConfirmDialog } from "../parts/ConfirmDialog.tsx";
import { EmptyState } from "../parts/EmptyState.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { announce, reportError } from "../parts/toast.ts";
import { useLoad } from "../parts/use-load.ts";
import { advanceClock, type Clock } from "./clock.ts";
import { ExportMenu } from "./ExportMenu.tsx";
import { makeEditHistory } from "./edit-history.ts";
import { type EditedGap, editText, placeAligned } from "./edit-text.ts";
import { moveEdge, tapTimes } from "./edit-times.ts";
import { type LineActions, LineEditor } from "./LineEditor.tsx";
import { WordsList } from "./WordsList.tsx";
import { WordsRow } from "./WordsRow.tsx";
import { endOf, findPlace, findRoom, joinLine, type Place, startOf, toWordsLines } from "./words-lines.ts";
import { makeWordsSaver, type SaveState } from "./words-saver.ts";
import type { WordsSource } from "./words-source.ts";
import "./words.css";

const HUES = 8;
/** Lead-in played before an aligned gap. */
const LEAD_SECONDS = 0.7;

const STATES: Record<SaveState, string> = {
  saved: "Saved",
  waiting: "Not saved yet",
  saving: "Saving…",
  failed: "Not saved",
  conflict: "Changed elsewhere",
};

/** The words of one target, following the recording; editable if the source allows it. Their times are `leadSeconds` later than the clock's. */
export function WordsView({
  source,
  clock: audioClock,
  leadSeconds,
}: {
  source: WordsSource;
  clock: Clock;
  leadSeconds: number;
}) {
  const clock = useMemo(() => advanceClock(audioClock, leadSeconds), [audioClock, leadSeconds]);
  const words = useLoad((signal) => source.load(signal), [source.key]);
  return (
    <Loaded loaded={words}>
      {(value) =>
        value.lines.length === 0 && !value.isEdited ? (
          <EmptyState title="No words">No speech or singing was found in this recording.</EmptyState>
        ) : (
          <WordsBook
            key={`${source.key} ${value.revision}`}
            words={value}
            source={source}
            clock={clock}
            onReload={words.reload}
            onReset={(reset) => words.change(() => reset)}
          />
        )
      }
    </Loaded>
  );
}

function WordsBook({
  words,
  source,
  clock,
  onReload,
  onReset,
}: {
  words: Words;
  source: WordsSource;
  clock: Clock;
  onReload: () => void;
  onReset: (words: Words) => void;
}) {
  const { edit } = source;
  const durationSeconds = words.duration;
  const history = useMemo(() => makeEditHistory(toWordsLines(words.lines)), []);
  const saver = useMemo(
    () => edit && makeWordsSaver({ lines: history.lines, words, save: edit.save, onError: reportError }),
    [],
  );
  useEffect(() => () => saver?.close(), []);
  const lines = history.lines.value;
  const [opened, setOpened] = useState<number>();
  const [isAsking, setAsking] = useState(false);
  const current = useComputed(() => findPlace(history.lines.value, clock.seconds.value));
  const isFollowing = useSignal(true);
  const hues = useMemo(() => {
    const speakers = new Set(lines.flatMap(({ speaker }) => (speaker === undefined ? [] : [speaker])));
    // By name, so that a speaker has the colour that the voice of that number has in the mixer.
    const named = [...speakers].toSorted((a, b) => String(a).localeCompare(String(b)));
    return new Map(named.map((speaker, n) => [speaker, (n % HUES) + 1]));
  }, [lines]);

  const seek = ({ line, word }: Place) => {
    const at = history.lines.peek()[line]?.words[word]?.start;
    if (at !== undefined) clock.seek(at);
  };
  const playSpan = (start: number, end: number) => {
    clock.seek(Math.max(0, start - LEAD_SECONDS));
    clock.play();
    const stop = clock.seconds.subscribe((now) => {
      if (now < end + LEAD_SECONDS && now >= start - 2 * LEAD_SECONDS) return;
      clock.pause();
      queueMicrotask(() => stop());
    });
  };

  /** Requests the times of a gap, applies them, and plays the gap. */
  async function align(gap: EditedGap, estimated: readonly TimedWord[]) {
    if (!edit) return;
    const { text, start, end } = gap;
    const found = (await edit.align({ text, start, end }, new AbortController().signal)).flatMap(
      (line) => line.words,
    );
    const placed = placeAligned(history.lines.peek(), gap, { estimated, found });
    if (placed === history.lines.peek()) return;
    // The estimate and the aligned times are undone together.
    history.amend(placed);
    announce("Aligned. Only the edited words have new times.");
    playSpan(found[0]?.start ?? start, found.at(-1)?.end ?? end);
  }

  const wordsOf = ({ line, first, count }: EditedGap) =>
    history.lines.peek()[line]?.words.slice(first, first + count) ?? [];

  const actionsOf = (index: number): LineActions => ({
    async setText(text) {
      const edited = editText(history.lines.peek(), { line: index, text, durationSeconds });
      history.change(edited.lines);
      if (text.trim() === "") setOpened(undefined);
      if (edited.gap) await align(edited.gap, wordsOf(edited.gap)).catch(reportError);
    },
    moveEdge({ isNew, ...move }) {
      const moved = moveEdge(history.lines.peek(), { line: index, ...move, durationSeconds });
      if (isNew) history.change(moved);
      else history.amend(moved);
    },
    setTaps(taps) {
      const all = history.lines.peek();
      const line = all[index];
      if (line) history.change(all.with(index, tapTimes(line, taps, findRoom(all, index, durationSeconds))));
    },
    async align() {
      const all = history.lines.peek();
      const line = all[index];
      if (!line) return;
      const room = findRoom(all, index, durationSeconds);
      const start = Math.max(room.start, startOf(line) - 5);
      const end = Math.min(room.end, endOf(line) + 5, start + 60);
      const gap = { line: index, first: 0, count: line.words.length, text: joinLine(line), start, end };
      history.change(all.with(index, { ...line, words: [...line.words] }));
      await align(gap, wordsOf(gap));
    },
    play() {
      const line = history.lines.peek()[index];
      if (line) playSpan(startOf(line), endOf(line));
    },
    close: () => setOpened(undefined),
  });

  function onKey(event: KeyboardEvent) {
    const isUndo = event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey);
    // In an open line, all other keys are its own.
    if (!isUndo && event.target !== event.currentTarget) return;
    const place = current.peek() ?? { line: 0, word: 0 };
    const all = history.lines.peek();
    const flat = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const down = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (isUndo) event.shiftKey ? history.redo() : history.undo();
    else if (flat !== undefined) {
      const next = place.word + flat;
      const count = all[place.line]?.words.length ?? 0;
      if (next >= 0 && next < count) seek({ ...place, word: next });
      else if (next < 0) seek({ line: place.line - 1, word: (all[place.line - 1]?.words.length ?? 1) - 1 });
      else seek({ line: place.line + 1, word: 0 });
    } else if (down !== undefined) seek({ line: place.line + down, word: 0 });
    else if (event.key === " ") clock.isPlaying.peek() ? clock.pause() : clock.play();
    else if (event.key === "Enter" && edit) setOpened(place.line);
    else return;
    event.preventDefault();
  }

  async function exportAs(format: TextOutputFormat) {
    await saver?.flush();
    return await source.exportAs(format);
  }

  async function reset() {
    if (!edit) return;
    await saver?.flush();
    onReset(await edit.reset());
    announce("The edits are discarded. These are the original words.");
  }

  return (
    <div class="words">
      <div class="row row-wrap words-bar">
        {edit && (
          <>
            <Button isDisabled={!history.canUndo.value} onClick={history.undo}>
              Undo
            </Button>
            <Button isDisabled={!history.canRedo.value} onClick={history.redo}>
              Redo
            </Button>
            <span class="small muted" role="status">
              {saver && STATES[saver.state.value]}
            </span>
            {saver?.state.value === "conflict" && <Button onClick={onReload}>Load the newer words</Button>}
            {saver?.isEdited.value && (
              <Button kind="plain" onClick={() => setAsking(true)}>
                Discard edits
              </Button>
            )}
            <span class="words-gap" />
          </>
        )}
        <label class="check small">
          <input
            type="checkbox"
            checked={isFollowing.value}
            onChange={({ currentTarget }) => {
              isFollowing.value = currentTarget.checked;
            }}
          />
          Follow playback
        </label>
        {!edit && <span class="words-gap" />}
        <ExportMenu exportAs={exportAs} />
      </div>
      <WordsList lines={lines} current={current} isFollowing={isFollowing} onSeek={seek} onKey={onKey}>
        {(index) => {
          const line = lines[index];
          if (!line) return null;
          return (
            <>
              <WordsRow
                line={line}
                index={index}
                current={current}
                hues={hues}
                onEdit={edit && (() => setOpened(opened === index ? undefined : index))}
              />
              {opened === index && (
                <LineEditor
                  line={line}
                  number={index + 1}
                  room={findRoom(lines, index, durationSeconds)}
                  clock={clock}
                  actions={actionsOf(index)}
                />
              )}
            </>
          );
        }}
      </WordsList>
      {isAsking && (
        <ConfirmDialog
          title="Discard all edits?"
          action="Discard the edits"
          onConfirm={reset}
          onClose={() => setAsking(false)}
        >
          The words are reset to the original.
        </ConfirmDialog>
      )}
    </div>
  );
}
