import type { ComponentChildren } from "preact";
import { Button } from "./Button.tsx";
import { Dialog } from "./Dialog.tsx";

/** Asks before something irreversible. */
export function ConfirmDialog({
  title,
  action,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  /** The button's text: `Delete the Task`. */
  action: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  children: ComponentChildren;
}) {
  async function confirm() {
    await onConfirm();
    onClose();
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      <div class="dialog-actions">
        <Button onClick={onClose}>Keep it</Button>
        <Button kind="danger" onClick={confirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
