import type { TaskListItem } from "@stemwright/sdk";
import { client } from "../../account/client.ts";
import { findBatch, toBatchSearch } from "../../data/batch.ts";
import { describeTask } from "../../data/task-state.ts";
import { Button } from "../../parts/Button.tsx";
import { Progress } from "../../parts/Progress.tsx";
import { announce } from "../../parts/toast.ts";

/** Above the Tasks of one batch: how far they are together, and a way to end them. */
export function BatchBar({
  search,
  tasks,
  onChanged,
}: {
  search: string;
  tasks: readonly TaskListItem[];
  onChanged: () => void;
}) {
  const batch = findBatch(tasks[0]?.metadata);
  if (!batch || search !== toBatchSearch(batch.id)) return null;
  const states = tasks.map(describeTask);
  const finished = states.filter(({ isFinished }) => isFinished).length;
  const progress = states.reduce((sum, state) => sum + state.progress, 0) / states.length;

  async function cancelAll() {
    const unfinished = tasks.filter(({ completedAt }) => completedAt === null);
    for (const { id } of unfinished) await client.tasks.cancel(id);
    announce(`${unfinished.length} Tasks cancelled.`);
    onChanged();
  }

  return (
    <section class="card stack-tight" aria-label={`Batch ${batch.name}`}>
      <div class="row row-apart">
        <div>
          <h2>{batch.name}</h2>
          <p class="small muted">
            {finished} of {tasks.length} finished
          </p>
        </div>
        {finished < tasks.length && <Button onClick={cancelAll}>Cancel the rest</Button>}
      </div>
      <Progress value={progress} label={`Progress of ${batch.name}`} />
    </section>
  );
}
