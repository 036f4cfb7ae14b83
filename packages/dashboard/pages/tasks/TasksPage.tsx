import type { TargetStatus } from "@stemwright/sdk";
import { apiClient } from "../../account/api-client.ts";
import { loadAssetNames } from "../../data/asset-names.ts";
import { isBatchSearch } from "../../data/batch.ts";
import { loadModels } from "../../data/model-names.ts";
import { EmptyState } from "../../parts/EmptyState.tsx";
import { Loaded } from "../../parts/Loaded.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { Pager } from "../../parts/Pager.tsx";
import { useInterval } from "../../parts/use-interval.ts";
import { useLoad } from "../../parts/use-load.ts";
import { address, replaceQuery } from "../../shell/router.ts";
import { BatchBar } from "./BatchBar.tsx";
import { toCreatedBetween } from "./created-between.ts";
import { TaskFilters } from "./TaskFilters.tsx";
import { TaskListRow } from "./TaskListRow.tsx";
import "./tasks.css";

const PAGE_SIZE = 25;
const MAX_PAGE_SIZE = 100;
const BUSY_INTERVAL_MS = 2500;
const IDLE_INTERVAL_MS = 15_000;

function NoTasks({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState title="No Task matches">
        Take a filter away, or <a href="app/tasks">see all Tasks</a>.
      </EmptyState>
    );
  return (
    <EmptyState title="No Tasks yet">
      A Task separates one recording. <a href="app/playground">Start one in the playground</a>, or send one to{" "}
      <code>POST /tasks</code>.
    </EmptyState>
  );
}

/** A page of Tasks with the names they show, loaded again more often while one of them runs. */
function useTasks(filters: Readonly<Record<string, string>>, { skip, take }: { skip: number; take: number }) {
  const { query } = address.value;
  const page = useLoad(
    async (signal) => {
      const { status, from, to, ...others } = filters;
      const wanted = {
        ...others,
        ...(status ? { status: status as TargetStatus } : {}),
        ...toCreatedBetween(from, to),
        skip,
        take,
      };
      const [found] = await Promise.all([
        apiClient.tasks.list(wanted, { signal }).page(),
        loadModels(signal),
      ]);
      await loadAssetNames(found.items.map(({ assetId }) => assetId));
      return found;
    },
    [query.toString()],
  );
  const isBusy = page.value?.items.some(({ completedAt }) => completedAt === null);
  useInterval(page.reload, isBusy ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS);
  return page;
}

export default function TasksPage() {
  const { query } = address.value;
  const filters = Object.fromEntries(
    ["status", "model", "search", "from", "to"]
      .map((name) => [name, query.get(name) ?? ""])
      .filter(([, value]) => value !== ""),
  );
  const skip = Number(query.get("skip")) || 0;
  // A batch is summarised as a whole.
  const take = isBatchSearch(filters.search) ? MAX_PAGE_SIZE : PAGE_SIZE;
  const page = useTasks(filters, { skip, take });

  function change(changes: Record<string, string>) {
    const next = new URLSearchParams(query);
    next.delete("skip");
    for (const [name, value] of Object.entries(changes)) {
      if (value === "" || value === "0") next.delete(name);
      else next.set(name, value);
    }
    replaceQuery(next);
  }

  return (
    <>
      <PageHead title="Tasks" lead="Newest first. The list updates by itself.">
        <a class="button button-primary" href="app/playground">
          New Task
        </a>
      </PageHead>
      <div class="stack">
        <TaskFilters filters={filters} onChange={change} />
        <Loaded loaded={page}>
          {({ items, total }) =>
            items.length === 0 ? (
              <NoTasks isFiltered={Object.keys(filters).length > 0} />
            ) : (
              <>
                <BatchBar search={filters.search ?? ""} tasks={items} total={total} onChanged={page.reload} />
                <ul class="plain-list card card-flush task-list">
                  {items.map((task) => (
                    <TaskListRow key={task.id} task={task} />
                  ))}
                </ul>
                <Pager
                  skip={skip}
                  take={take}
                  total={total}
                  onChange={(next) => change({ skip: String(next) })}
                />
              </>
            )
          }
        </Loaded>
      </div>
    </>
  );
}
