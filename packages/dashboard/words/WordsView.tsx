import { useSignal } from "@preact/signals";
import type { Words } from "@stemwright/sdk";
import { useEffect, useMemo, useState } from "preact/hooks";
import { ConfirmDialog } from "../parts/ConfirmDialog.tsx";
import { EmptyState } from "../parts/EmptyState.tsx";
import { Loaded } from "../parts/Loaded.tsx";
import { announce } from "../parts/toast.ts";
import { useLoad } from "../parts/use-load.ts";
import { advanceClock, type Clock } from "./clock.ts";
import { LineEditor } from "./LineEditor.tsx";
import { WordsBar } from "./WordsBar.tsx";
import { WordsList } from "./WordsList.tsx";
import { WordsRow } from "./WordsRow.tsx";
import { WordsEditor } from "./words-editor.ts";
import type { WordsLine, WordsLines } from "./words-lines.ts";
import type { WordsSource } from "./words-source.ts";
import "./words.css";

const HUES = 8;

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

/** The hue of each speaker, by name, so that a speaker has the colour that the voice of that number has in the mixer. */
function toHues(lines: WordsLines) {
  const speakers = new Set(lines.flatMap(({ speaker }) => (speaker === undefined ? [] : [speaker])));
  const named = [...speakers].toSorted((a, b) => String(a).localeCompare(String(b)));
  return new Map(named.map((speaker, n) => [speaker, (n % HUES) + 1]));
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
  const editor = useMemo(() => new WordsEditor({ words, source, clock }), []);
  useEffect(() => () => editor.close(), []);
  const lines = editor.history.lines.value;
  // Read here, so that the list measures its rows again when a line opens.
  const openLine = editor.openLine.value;
  const [isAsking, setAsking] = useState(false);
  const isFollowing = useSignal(true);
  const hues = useMemo(() => toHues(lines), [lines]);

  async function reset() {
    const original = await editor.reset();
    if (!original) return;
    onReset(original);
    announce("The edits are discarded. These are the original words.");
  }

  return (
    <div class="words">
      <WordsBar
        editor={editor}
        isFollowing={isFollowing}
        onReload={onReload}
        onDiscard={() => setAsking(true)}
      />
      <WordsList
        lines={lines}
        current={editor.current}
        isFollowing={isFollowing}
        onSeek={editor.seek}
        onKey={editor.onKey}
      >
        {(index) => (
          <BookLine
            index={index}
            isOpen={openLine === index}
            line={lines[index]}
            editor={editor}
            hues={hues}
            clock={clock}
          />
        )}
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

function BookLine({
  index,
  isOpen,
  line,
  editor,
  hues,
  clock,
}: {
  index: number;
  isOpen: boolean;
  line: WordsLine | undefined;
  editor: WordsEditor;
  hues: ReturnType<typeof toHues>;
  clock: Clock;
}) {
  if (!line) return null;
  return (
    <>
      <WordsRow
        line={line}
        index={index}
        current={editor.current}
        hues={hues}
        onEdit={editor.saver && (() => editor.toggleLine(index))}
      />
      {isOpen && (
        <LineEditor
          line={line}
          number={index + 1}
          room={editor.roomOf(index)}
          clock={clock}
          actions={editor.actionsOf(index)}
        />
      )}
    </>
  );
}
