import { Fragment } from "preact";
import { Button } from "../../../parts/Button.tsx";
import { Dialog } from "../../../parts/Dialog.tsx";

const KEYS: readonly [keys: readonly string[], does: string][] = [
  [["Space"], "Play or pause"],
  [["←", "→"], "Back or forward 5 seconds; with Shift, 1 second"],
  [["Home", "End"], "To the beginning or the end"],
  [[",", "."], "To the previous or next line of words"],
  [["1", "…", "9"], "Solo a track; with Shift, mute it"],
  [["[", "]"], "Begin or end the loop here"],
  [["L"], "Loop on or off: the last loop, or the next 10 seconds"],
  [["+", "−"], "Zoom in or out"],
  [["W"], "Waveforms or spectrograms"],
  [["N"], "Null test: the stems minus the original"],
  [["?"], "This list"],
];

/** The mixer's keyboard shortcuts. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="keys-list">
        {KEYS.map(([keys, does]) => (
          <Fragment key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
      <div class="dialog-actions">
        <Button onClick={onClose}>Done</Button>
      </div>
    </Dialog>
  );
}
