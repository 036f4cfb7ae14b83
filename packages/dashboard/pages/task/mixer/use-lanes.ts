import { useEffect, useState } from "preact/hooks";
import { isOwnLink, toOwnLink } from "../../../data/own-link.ts";
import { reportError } from "../../../parts/toast.ts";
import type { Lane } from "./lane.ts";
import { type LaneReader, type LaneTarget, loadLanes } from "./load-lanes.ts";

/** The lanes of an own or shared Task; reloaded when another of its targets completes. */
export function useLanes(
  targets: readonly LaneTarget[],
  makeReader: (signal: AbortSignal) => LaneReader,
): readonly Lane[] {
  const [lanes, setLanes] = useState<readonly Lane[]>([]);
  const done = targets.filter(({ status }) => status === "completed").map(({ id }) => id);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    // The CSP does not allow reading from buckets.
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
