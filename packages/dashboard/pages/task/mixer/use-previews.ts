import type { TaskPreviews } from "@stemwright/sdk";
import { useInterval } from "../../../parts/use-interval.ts";
import { type Load, useLoad } from "../../../parts/use-load.ts";
import type { PreviewSource } from "../../../player/preview-source.ts";

const GROWING_INTERVAL_MS = 1500;

/** A Task's previews, reloaded while they grow. */
export function usePreviews(source: PreviewSource, completedAt: string | null): Load<TaskPreviews> {
  const loaded = useLoad(() => source.get(), [source, completedAt]);
  const isGrowing = loaded.value?.status === "waiting" || loaded.value?.status === "growing";
  useInterval(loaded.reload, isGrowing ? GROWING_INTERVAL_MS : undefined);
  return loaded;
}
