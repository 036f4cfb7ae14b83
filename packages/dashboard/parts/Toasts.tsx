import { Icon } from "./Icon.tsx";
import { dismissToast, openDialogs, toasts } from "./toast.ts";

export function Toasts({ isInDialog = false }: { isInDialog?: boolean }) {
  if (!isInDialog && openDialogs.value > 0) return null;
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, isError }) => (
        <div key={id} class={`toast ${isError ? "toast-bad" : ""}`}>
          <span>{text}</span>
          <button
            type="button"
            class="button button-plain button-icon button-small"
            aria-label="Dismiss"
            onClick={() => dismissToast(id)}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
