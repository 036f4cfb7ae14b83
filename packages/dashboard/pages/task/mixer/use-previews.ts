import type { Task } from "@stemwright/sdk";
import { useMemo } from "preact/hooks";
import { client } from "../../../account/client.ts";
import { useInterval } from "../../../parts/use-interval.ts";
import { useLoad } from "../../../parts/use-load.ts";
import type { PreviewSource } from "../../../player/preview-source.ts";

const GROWING_INTERVAL_MS = 1500;

/** The Task's previews, looked at again while they grow. */
export function usePreviews(task: Task) {
  const source = useMemo<PreviewSource>(
    () => ({
      get: () => client.tasks.previews.get(task.id),
      chunk: (index, query) => client.tasks.previews.chunk(task.id, index, query),
      peaks: (query) => client.tasks.previews.peaks(task.id, query),
    }),
    [task.id],
  );
  const loaded = useLoad(() => source.get(), [source, task.completedAt]);
  const isGrowing = loaded.value?.status === "waiting" || loaded.value?.status === "growing";
  useInterval(loaded.reload, isGrowing ? GROWING_INTERVAL_MS : undefined);
  return { source, loaded };
}
