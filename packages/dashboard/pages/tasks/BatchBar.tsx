import type { TaskListItem } from "@stemwright/sdk";
import { useState } from "preact/hooks";
import { apiClient } from "../../account/api-client.ts";
import { findBatch, toBatchSearch } from "../../data/batch.ts";
import { toRetryInput } from "../../data/task-input.ts";
import { describeTask, hasFailed } from "../../data/task-state.ts";
import { Button } from "../../parts/Button.tsx";
import { ConfirmDialog } from "../../parts/ConfirmDialog.tsx";
import { ProgressBar } from "../../parts/ProgressBar.tsx";
import { announce } from "../../parts/toast.ts";
import { navigate } from "../../shell/router.ts";

const MAX_PAGE_SIZE = 100;

const countTasks = (count: number) => `${count} ${count === 1 ? "Task" : "Tasks"}`;

/** All Tasks of the batch, over all pages. */
async function listAll(search: string): Promise<TaskListItem[]> {
  const all: TaskListItem[] = [];
  for await (const task of apiClient.tasks.list({ search, take: MAX_PAGE_SIZE })) all.push(task);
  return all;
}

/** What is done with all Tasks of a batch, over all pages. */
function makeBatchActions(search: string, onChanged: () => void) {
  async function cancelAll() {
    const unfinished = (await listAll(search)).filter(({ completedAt }) => completedAt === null);
    for (const { id } of unfinished) await apiClient.tasks.cancel(id);
    announce(`${countTasks(unfinished.length)} cancelled.`);
    onChanged();
  }

  /** Retries in the same batch; a Task without any results is replaced. */
  async function retryFailed() {
    const failed = (await listAll(search)).filter(hasFailed);
    for (const task of failed) {
      // List items do not include the write destination.
      await apiClient.tasks.create(toRetryInput(await apiClient.tasks.get(task.id)));
      if (task.targets.every(({ status }) => status === "error")) await apiClient.tasks.delete(task.id);
    }
    announce(`${countTasks(failed.length)} created again.`);
    onChanged();
  }

  async function deleteAll() {
    const all = await listAll(search);
    for (const { id } of all) await apiClient.tasks.delete(id);
    announce(`${countTasks(all.length)} deleted.`);
    navigate("app/tasks");
  }

  return { cancelAll, retryFailed, deleteAll };
}

/** Above the Tasks of a batch: their overall progress and batch actions. */
export function BatchBar({
  search,
  tasks,
  total,
  onChanged,
}: {
  search: string;
  tasks: readonly TaskListItem[];
  total: number;
  onChanged: () => void;
}) {
  const [isDeleting, setDeleting] = useState(false);
  const batch = findBatch(tasks[0]?.metadata);
  if (!batch || search !== toBatchSearch(batch.id)) return null;
  const states = tasks.map(describeTask);
  const finished = states.filter(({ isFinished }) => isFinished).length;
  const progress = states.reduce((sum, state) => sum + state.progress, 0) / states.length;

  const { cancelAll, retryFailed, deleteAll } = makeBatchActions(search, onChanged);

  return (
    <section class="card stack-tight" aria-label={`Batch ${batch.name}`}>
      <div class="row row-apart row-wrap">
        <div>
          <h2>{batch.name}</h2>
          <p class="small muted">
            {finished} of {tasks.length} finished
            {total > tasks.length && ` on this page, of ${total} in all`}
          </p>
        </div>
        <div class="row row-wrap">
          {finished < tasks.length && <Button onClick={cancelAll}>Cancel the rest</Button>}
          {tasks.some(hasFailed) && (
            <Button icon="retry" onClick={retryFailed}>
              Retry failed targets
            </Button>
          )}
          <Button kind="danger" icon="trash" onClick={() => setDeleting(true)}>
            Delete all
          </Button>
        </div>
      </div>
      <ProgressBar value={progress} label={`Progress of ${batch.name}`} />
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${batch.name}?`}
          action={`Delete ${countTasks(total)}`}
          onConfirm={deleteAll}
          onClose={() => setDeleting(false)}
        >
          Their outputs are deleted with them; what is still running is cancelled. The uploaded files stay.
        </ConfirmDialog>
      )}
    </section>
  );
}
