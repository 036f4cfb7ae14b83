import { NotFoundError, type Task } from "@stemwright/sdk";
import { useEffect } from "preact/hooks";
import { apiClient } from "../account/api-client.ts";
import { reportError } from "../parts/toast.ts";
import { type Load, useLoad } from "../parts/use-load.ts";
import { loadAssetNames } from "./asset-names.ts";
import { loadModels } from "./model-names.ts";

/** The Task, kept up to date by its events until it is finished. */
export function useTask(id: string): Load<Task> {
  const loaded = useLoad(
    async (signal) => {
      const [task] = await Promise.all([apiClient.tasks.get(id, { signal }), loadModels(signal)]);
      await loadAssetNames([task.assetId]);
      return task;
    },
    [id],
  );
  const { change } = loaded;
  const isRunning = loaded.value?.completedAt === null;
  useEffect(() => {
    if (!isRunning) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    async function follow() {
      for await (const event of apiClient.tasks.events(id, { signal })) {
        if (signal.aborted) return;
        if (event.type === "task") change(() => event.task);
        if (event.type === "target")
          change((task) => ({
            ...task,
            targets: task.targets.map((target) => (target.id === event.target.id ? event.target : target)),
          }));
      }
    }
    follow().catch((error: unknown) => {
      // Deleted in another window; the next load shows it.
      if (!signal.aborted && !(error instanceof NotFoundError)) reportError(error);
    });
    return () => controller.abort();
  }, [id, isRunning, change]);
  return loaded;
}
