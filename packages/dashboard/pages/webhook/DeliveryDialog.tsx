import type { WebhookDelivery } from "@stemwright/sdk";
import { client } from "../../account/client.ts";
import { Button } from "../../parts/Button.tsx";
import { CodeBlock } from "../../parts/CodeBlock.tsx";
import { Dialog } from "../../parts/Dialog.tsx";
import { formatDateTime } from "../../parts/format.ts";
import { Loaded } from "../../parts/Loaded.tsx";
import { useLoad } from "../../parts/use-load.ts";

/** The body is the Task as it is when it is sent, so it is not kept: this is what would be sent now. */
function Body({ taskId }: { taskId: string }) {
  const task = useLoad((signal) => client.tasks.get(taskId, { signal }), [taskId]);
  return (
    <Loaded loaded={task}>
      {(value) => <CodeBlock label="body of the call" code={JSON.stringify(value, null, 2)} />}
    </Loaded>
  );
}

export function DeliveryDialog({ delivery, onClose }: { delivery: WebhookDelivery; onClose: () => void }) {
  const { id, url, attempts, createdAt, nextAttemptAt, lastStatusCode, lastError, taskId } = delivery;
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
            <dt>Answer</dt>
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
            <dt>Next try</dt>
            <dd>{formatDateTime(nextAttemptAt)}</dd>
          </>
        )}
      </dl>
      {taskId === undefined ? (
        <p class="small muted">The body was a sample Task, in the form of every other call.</p>
      ) : (
        <>
          <p class="small muted">
            The body is <a href={`app/tasks/${taskId}`}>the Task</a> as it is when it is sent; as it is now:
          </p>
          <Body taskId={taskId} />
        </>
      )}
      <div class="dialog-actions">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}
