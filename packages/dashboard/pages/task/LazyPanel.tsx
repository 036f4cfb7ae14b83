import type { Task } from "@stemwright/sdk";
import { Loaded } from "../../parts/Loaded.tsx";
import { useLoad } from "../../parts/use-load.ts";
import { ErrorBoundary } from "../../shell/ErrorBoundary.tsx";
import type { TaskPanel } from "./task-panels.ts";

/** A lazily loaded panel; errors in it do not affect the rest of the page. */
export function LazyPanel({ panel, task }: { panel: TaskPanel; task: Task }) {
  const loaded = useLoad(async () => (await panel.load()).default, [panel]);
  return (
    <ErrorBoundary>
      <Loaded loaded={loaded}>{(Panel) => <Panel task={task} />}</Loaded>
    </ErrorBoundary>
  );
}
