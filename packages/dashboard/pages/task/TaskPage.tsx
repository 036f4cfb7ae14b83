import { NotFoundError, type Task } from "@stemwright/sdk";
import { useEffect, useState } from "preact/hooks";
import { findBatch, toBatchSearch } from "../../data/batch.ts";
import { nameTask } from "../../data/task-name.ts";
import { describeTask } from "../../data/task-state.ts";
import { useTask } from "../../data/use-task.ts";
import { Badge } from "../../parts/Badge.tsx";
import { Loaded } from "../../parts/Loaded.tsx";
import { Missing } from "../../parts/Missing.tsx";
import { PageHead } from "../../parts/PageHead.tsx";
import { ProgressBar } from "../../parts/ProgressBar.tsx";
import { Tabs } from "../../parts/Tabs.tsx";
import type { Load } from "../../parts/use-load.ts";
import type { PageProps } from "../../shell/page-props.ts";
import { LazyPanel } from "./LazyPanel.tsx";
import { Outputs } from "./Outputs.tsx";
import { TaskActions } from "./TaskActions.tsx";
import { TaskFacts } from "./TaskFacts.tsx";
import { TASK_PANELS } from "./task-panels.ts";
import "./task.css";

function TaskView({ task, loaded }: { task: Task; loaded: Load<Task> }) {
  const state = describeTask(task);
  const name = nameTask(task);
  const batch = findBatch(task.metadata);
  const panels = TASK_PANELS.filter(({ isFor }) => isFor(task));
  const tabs = [
    ...panels.map(({ id, title }) => ({ id, title })),
    { id: "outputs", title: "Outputs" },
    { id: "details", title: "Details" },
  ];
  const [chosen, setChosen] = useState<string>();
  const shown = tabs.find(({ id }) => id === chosen)?.id ?? tabs[0]?.id ?? "outputs";
  const panel = panels.find(({ id }) => id === shown);
  useEffect(() => {
    // Words are shown first when they arrive, unless somebody uses another view.
    const keep = () => setChosen(shown);
    const events = ["pointerdown", "keydown"] as const;
    for (const event of events) document.addEventListener(event, keep, true);
    return () => {
      for (const event of events) document.removeEventListener(event, keep, true);
    };
  }, [shown]);
  return (
    <>
      <PageHead
        title={name}
        lead={
          <span class="row row-wrap">
            <Badge tone={state.tone}>{state.text}</Badge>
            {batch && (
              <a href={`app/tasks?search=${encodeURIComponent(toBatchSearch(batch.id))}`}>{batch.name}</a>
            )}
          </span>
        }
      >
        <TaskActions task={task} onChanged={(changed) => loaded.change(() => changed)} />
      </PageHead>
      <div class="stack">
        {!state.isFinished && <ProgressBar value={state.progress} label="Progress of the Task" />}
        <Tabs label="Views of the Task" tabs={tabs} shown={shown} onChange={setChosen}>
          {panel && <LazyPanel key={panel.id} panel={panel} task={task} />}
          {shown === "outputs" && <Outputs task={task} />}
          {shown === "details" && <TaskFacts task={task} />}
        </Tabs>
      </div>
    </>
  );
}

export default function TaskPage({ params }: PageProps) {
  const task = useTask(params.id ?? "");
  if (task.error instanceof NotFoundError)
    return (
      <Missing title="Task not found">
        It was deleted, or the address has a typing error. <a href="app/tasks">See all Tasks</a>.
      </Missing>
    );
  return <Loaded loaded={task}>{(value) => <TaskView task={value} loaded={task} />}</Loaded>;
}
