import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button } from "../parts/Button.tsx";
import { ExportMenu } from "./ExportMenu.tsx";
import type { EditHistory } from "./edit-history.ts";
import type { WordsSelection } from "./speakers.ts";
import type { WordsEditor } from "./words-editor.ts";
import type { SaveState, WordsSaver } from "./words-saver.ts";

const STATES: Record<SaveState, string> = {
  saved: "Saved",
  waiting: "Not saved yet",
  saving: "Saving…",
  offline: "Offline: kept in this browser, and saved when the service is back",
  failed: "Not saved; kept in this browser",
  conflict: "Changed elsewhere; yours are kept in this browser",
};

/** Above the words: undo, how far edits are saved, following and exports. */
export function WordsBar({
  editor,
  isFollowing,
  isEdited,
  selection,
  onDiscard,
}: {
  editor: WordsEditor;
  isFollowing: Signal<boolean>;
  /** Whether read-only words are edited ones. */
  isEdited: boolean;
  selection: WordsSelection | undefined;
  onDiscard: () => void;
}) {
  const { history, saver } = editor;
  return (
    <div class="row row-wrap words-bar">
      {saver && (
        <EditState history={history} saver={saver}>
          {saver.isEdited.value && (
            <Button kind="plain" onClick={onDiscard}>
              Discard edits
            </Button>
          )}
          {selection && (
            <Button
              onClick={() => {
                editor.asked.value = { line: selection.from.line, selection };
              }}
            >
              Speaker of the selection
            </Button>
          )}
        </EditState>
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
      {!saver && <span class="words-gap" />}
      <ExportMenu
        isEdited={saver ? saver.isEdited.value : isEdited}
        exportAs={(format, version) => editor.exportAs(format, version)}
      />
    </div>
  );
}

function EditState({
  history,
  saver,
  children,
}: {
  history: EditHistory;
  saver: WordsSaver;
  children: ComponentChildren;
}) {
  return (
    <>
      <Button isDisabled={!history.canUndo.value} onClick={history.undo}>
        Undo
      </Button>
      <Button isDisabled={!history.canRedo.value} onClick={history.redo}>
        Redo
      </Button>
      <span class="small muted" role="status">
        {STATES[saver.state.value]}
      </span>
      {children}
      <span class="words-gap" />
    </>
  );
}
