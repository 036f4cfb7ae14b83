import { useEffect, useState } from "preact/hooks";
import { isOwnLink, toOwnLink } from "../../../data/own-link.ts";
import { reportError } from "../../../parts/toast.ts";
import type { Lane } from "./lane.ts";
import { type LaneReader, type LaneTarget, loadLanes } from "./load-lanes.ts";

/** The lanes of a Task, one's own or shared; loaded again when another of its targets is complete. */
export function useLanes(
  targets: readonly LaneTarget[],
  makeReader: (signal: AbortSignal) => LaneReader,
): readonly Lane[] {
  const [lanes, setLanes] = useState<readonly Lane[]>([]);
  const done = targets.filter(({ status }) => status === "completed").map(({ id }) => id);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    // Pages may not read from buckets.
    const readable = targets.map((target) => ({
      ...target,
      output: target.output
        .map((output) => ({ ...output, link: toOwnLink(output.link) }))
        .filter(({ link }) => isOwnLink(link)),
    }));
    loadLanes(readable, makeReader(signal))
      .then((loaded) => {
        if (!signal.aborted) setLanes(loaded);
      })
      .catch((error: unknown) => {
        if (!signal.aborted) reportError(error);
      });
    return () => abort.abort();
  }, [done.join()]);
  return lanes;
}
