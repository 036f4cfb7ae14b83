import { ApiError } from "@stemwright/sdk";
import { describeError } from "./describe-error.ts";
import { Icon } from "./Icon.tsx";

/** An error in place of what could not be shown. */
export function ErrorNotice({
  error,
  action,
}: {
  error: unknown;
  action?: { label: string; onClick: () => void };
}) {
  return (
    <div class="notice notice-bad" role="alert">
      <Icon name="warning" />
      <div class="stack-tight">
        <p>{describeError(error)}</p>
        {error instanceof ApiError && error.requestId && (
          <p class="small muted">
            Request <code>{error.requestId}</code>
          </p>
        )}
        {action && (
          <div>
            <button type="button" class="button button-small" onClick={action.onClick}>
              {action.label}
            </button>
          </div>
        )}
      </div>
    </div>
  );
}
