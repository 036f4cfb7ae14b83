import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button } from "../parts/Button.tsx";
import { ExportMenu } from "./ExportMenu.tsx";
import type { EditHistory } from "./edit-history.ts";
import type { WordsEditor } from "./words-editor.ts";
import type { SaveState, WordsSaver } from "./words-saver.ts";

const STATES: Record<SaveState, string> = {
  saved: "Saved",
  waiting: "Not saved yet",
  saving: "Saving…",
  failed: "Not saved",
  conflict: "Changed elsewhere",
};

/** Above the words: undo, how far edits are saved, following and exports. */
export function WordsBar({
  editor,
  isFollowing,
  onReload,
  onDiscard,
}: {
  editor: WordsEditor;
  isFollowing: Signal<boolean>;
  onReload: () => void;
  onDiscard: () => void;
}) {
  const { history, saver } = editor;
  return (
    <div class="row row-wrap words-bar">
      {saver && (
        <EditState history={history} saver={saver} onReload={onReload}>
          {saver.isEdited.value && (
            <Button kind="plain" onClick={onDiscard}>
              Discard edits
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
      <ExportMenu exportAs={(format) => editor.exportAs(format)} />
    </div>
  );
}

function EditState({
  history,
  saver,
  onReload,
  children,
}: {
  history: EditHistory;
  saver: WordsSaver;
  onReload: () => void;
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
      {saver.state.value === "conflict" && <Button onClick={onReload}>Load the newer words</Button>}
      {children}
      <span class="words-gap" />
    </>
  );
}
