import type { Task } from "@stemwright/sdk";
import { Fragment } from "preact";
import { toTaskInput } from "../../data/task-input.ts";
import { nameTask } from "../../data/task-name.ts";
import { CodeBlock } from "../../parts/CodeBlock.tsx";
import { formatCredits, formatDateTime } from "../../parts/format.ts";

/** Details of a Task besides its outputs. */
export function TaskFacts({ task }: { task: Task }) {
  const facts: [string, string | undefined][] = [
    ["Id", task.id],
    ["Input", task.url ?? `${nameTask(task)} (asset ${task.assetId})`],
    ["Created", formatDateTime(task.createdAt)],
    ["Finished", task.completedAt === null ? undefined : formatDateTime(task.completedAt)],
    ["Cost", task.cost === undefined ? undefined : formatCredits(task.cost)],
    ["Priority", task.priority?.toString()],
    ["Metadata", task.metadata],
    ["Storage integration", task.storageIntegrationId],
    ["Written to", task.writeDestination],
  ];
  return (
    <div class="stack">
      <dl class="card facts">
        {facts.map(
          ([name, value]) =>
            value !== undefined && (
              <Fragment key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </Fragment>
            ),
        )}
      </dl>
      <h2>The request</h2>
      <CodeBlock label="the request as JSON" code={JSON.stringify(toTaskInput(task), null, 2)} />
    </div>
  );
}
