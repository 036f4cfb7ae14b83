import type { WebhookDelivery } from "@stemwright/sdk";
import { apiClient } from "../../account/api-client.ts";
import { Button } from "../../parts/Button.tsx";
import { CodeBlock } from "../../parts/CodeBlock.tsx";
import { Dialog } from "../../parts/Dialog.tsx";
import { formatDateTime } from "../../parts/format.ts";
import { Loaded } from "../../parts/Loaded.tsx";
import { useLoad } from "../../parts/use-load.ts";

/** Pretty-printed JSON; a truncated body is shown unchanged. */
function indent(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** The body of the last try, and the receiver's answer. */
function Sent({ delivery }: { delivery: WebhookDelivery }) {
  const sent = useLoad(
    (signal) => apiClient.webhooks.deliveries.get(delivery.id, { signal }),
    [delivery.id, delivery.lastAttemptAt],
  );
  return (
    <Loaded loaded={sent}>
      {({ body, answer }) => (
        <>
          <h3>Body</h3>
          {body === null ? (
            <p class="muted">Nothing was sent yet.</p>
          ) : (
            <>
              <p class="small muted">
                Body of the last attempt. Links are stored without signatures.
                {delivery.taskId !== undefined && (
                  <>
                    {" "}
                    A replay sends <a href={`app/tasks/${delivery.taskId}`}>the Task</a> as it is then.
                  </>
                )}
              </p>
              <CodeBlock label="request body" code={indent(body)} />
            </>
          )}
          {answer !== null && (
            <>
              <h3>Response</h3>
              <CodeBlock label="response of the receiver" code={answer} />
            </>
          )}
        </>
      )}
    </Loaded>
  );
}

export function DeliveryDialog({ delivery, onClose }: { delivery: WebhookDelivery; onClose: () => void }) {
  const { id, url, attempts, createdAt, nextAttemptAt, lastStatusCode, lastError } = delivery;
  return (
    <Dialog title="Delivery" onClose={onClose}>
      <dl class="facts">
        <dt>webhook-id</dt>
        <dd class="mono">{id}</dd>
        <dt>Sent to</dt>
        <dd class="mono">{url}</dd>
        <dt>Created</dt>
        <dd>{formatDateTime(createdAt)}</dd>
        <dt>Tries</dt>
        <dd>{attempts}</dd>
        {lastStatusCode !== null && (
          <>
            <dt>Response</dt>
            <dd>{lastStatusCode}</dd>
          </>
        )}
        {lastError !== null && (
          <>
            <dt>Error</dt>
            <dd>{lastError}</dd>
          </>
        )}
        {nextAttemptAt !== null && (
          <>
            <dt>Next attempt</dt>
            <dd>{formatDateTime(nextAttemptAt)}</dd>
          </>
        )}
      </dl>
      <Sent delivery={delivery} />
      <div class="dialog-actions">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
