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
import { SpeakerDialog, type SpeakerScope } from "./SpeakerDialog.tsx";
import { listSpeakers, type Speaker } from "./speakers.ts";
import { useWordsSelection } from "./use-words-selection.ts";
import { WordsBar } from "./WordsBar.tsx";
import { WordsConflict } from "./WordsConflict.tsx";
import { WordsList } from "./WordsList.tsx";
import { WordsRow } from "./WordsRow.tsx";
import { type WordsDraft, wordsDrafts } from "./words-drafts.ts";
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
  const loaded = useLoad(
    async (signal) => {
      const [words, draft] = await Promise.all([
        source.load(signal),
        source.edit && wordsDrafts.load(source.key),
      ]);
      return { words, draft };
    },
    [source.key],
  );
  return (
    <Loaded loaded={loaded}>
      {({ words: value, draft }) =>
        value.lines.length === 0 && !value.isEdited ? (
          <EmptyState title="No words">No speech or singing was found in this recording.</EmptyState>
        ) : (
          <WordsBook
            key={`${source.key} ${value.revision}`}
            words={value}
            draft={draft}
            source={source}
            clock={clock}
            onReset={(reset) => loaded.change(() => ({ words: reset, draft: undefined }))}
          />
        )
      }
    </Loaded>
  );
}

/** The hue of each speaker, which a new name does not change. */
const toHues = (lines: WordsLines) =>
  new Map(listSpeakers(lines).map((speaker, n) => [speaker, (n % HUES) + 1]));

const listScopes = (isSelected: boolean, speaker: Speaker | undefined): SpeakerScope[] => [
  ...(isSelected ? (["selection"] as const) : []),
  ...(speaker === undefined ? [] : (["everything"] as const)),
  "line",
];

function WordsBook({
  words,
  draft,
  source,
  clock,
  onReset,
}: {
  words: Words;
  draft: WordsDraft | undefined;
  source: WordsSource;
  clock: Clock;
  onReset: (words: Words) => void;
}) {
  const editor = useMemo(() => new WordsEditor({ words, draft, source, clock }), []);
  useEffect(() => () => editor.close(), []);
  const lines = editor.history.lines.value;
  // Read here, so that the list measures its rows again when a line opens.
  const openLine = editor.openLine.value;
  const asked = editor.asked.value;
  const selection = useWordsSelection(editor.saver !== undefined);
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
        isEdited={words.isEdited}
        selection={selection}
        onDiscard={() => setAsking(true)}
      />
      {editor.saver?.state.value === "conflict" && (
        <WordsConflict
          lines={lines}
          theirs={editor.saver.theirs.value}
          onKeepMine={editor.saver.keepMine}
          onTakeTheirs={async () => onReset(await editor.takeTheirs())}
        />
      )}
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
      {asked && (
        <SpeakerDialog
          speaker={lines[asked.line]?.speaker}
          speakers={listSpeakers(lines)}
          scopes={listScopes(asked.selection !== undefined, lines[asked.line]?.speaker)}
          onApply={(scope, speaker) => editor.applySpeaker(scope, speaker)}
          onClose={() => {
            editor.asked.value = undefined;
          }}
        />
      )}
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
        onSpeaker={
          editor.saver &&
          (() => {
            editor.asked.value = { line: index };
          })
        }
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
