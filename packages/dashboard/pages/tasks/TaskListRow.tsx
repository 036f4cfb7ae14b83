import type { TaskListItem } from "@stemwright/sdk";
import { findBatch, toBatchSearch } from "../../data/batch.ts";
import { nameModel } from "../../data/model-names.ts";
import { nameTask } from "../../data/task-name.ts";
import { describeTask } from "../../data/task-state.ts";
import { Age } from "../../parts/Age.tsx";
import { Badge } from "../../parts/Badge.tsx";
import { formatCredits } from "../../parts/format.ts";
import { ProgressBar } from "../../parts/ProgressBar.tsx";

/** One Task in the list; the whole row is a link to it. */
export function TaskListRow({ task }: { task: TaskListItem }) {
  const state = describeTask(task);
  const name = nameTask(task);
  const batch = findBatch(task.metadata);
  return (
    <li class="task-row">
      <div class="task-row-name">
        <a class="truncate" href={`app/tasks/${task.id}`}>
          {name}
        </a>
        <div class="row small muted">
          <span class="truncate">{task.targets.map(({ model }) => nameModel(model)).join(", ")}</span>
          {batch && (
            <a
              class="tag task-row-batch"
              href={`app/tasks?search=${encodeURIComponent(toBatchSearch(batch.id))}`}
            >
              {batch.name}
            </a>
          )}
        </div>
      </div>
      <div class="task-row-state">
        <Badge tone={state.tone}>{state.text}</Badge>
        {!state.isFinished && <ProgressBar value={state.progress} label={`Progress of ${name}`} />}
      </div>
      <div class="task-row-cost small muted">{task.cost === undefined ? "" : formatCredits(task.cost)}</div>
      <div class="task-row-age small muted">
        <Age at={task.createdAt} />
      </div>
    </li>
  );
}
