import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Toasts } from "./Toasts.tsx";
import { openDialogs } from "./toast.ts";

const CONTROLS = "input, select, textarea, button, [tabindex='0']";

/** A modal dialog. The browser's own `<dialog>` traps the focus, closes on Escape and restores the focus. Render it while it is open. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const { activeElement } = document;
    const opened = dialog.current;
    opened?.showModal();
    openDialogs.value += 1;
    return () => {
      openDialogs.value -= 1;
      opened?.close();
      if (activeElement instanceof HTMLElement && activeElement.isConnected) activeElement.focus();
    };
  }, []);
  useEffect(() => {
    const opened = dialog.current;
    // The next step of a dialog replaces what had the focus.
    if (!opened?.contains(document.activeElement)) opened?.querySelector<HTMLElement>(CONTROLS)?.focus();
  }, [title]);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={titleId} onCancel={onClose}>
      <div class="dialog-body">
        <h2 id={titleId}>{title}</h2>
        {children}
      </div>
      <Toasts isInDialog />
    </dialog>
  );
}
