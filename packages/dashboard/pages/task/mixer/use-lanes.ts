import type { Task } from "@stemwright/sdk";
import { useEffect, useState } from "preact/hooks";
import { client } from "../../../account/api-client.ts";
import { isOwnLink, toOwnLink } from "../../../data/own-link.ts";
import { reportError } from "../../../parts/toast.ts";
import type { Lane } from "./lane.ts";
import { loadLanes } from "./load-lanes.ts";

/** The lanes of a Task; again when another of its targets is complete. */
export function useLanes(task: Task): readonly Lane[] {
  const [lanes, setLanes] = useState<readonly Lane[]>([]);
  const done = task.targets.filter(({ status }) => status === "completed").map(({ id }) => id);
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    // Pages may not read from buckets.
    const targets = task.targets.map((target) => ({
      ...target,
      output: target.output
        .map((output) => ({ ...output, link: toOwnLink(output.link) }))
        .filter(({ link }) => isOwnLink(link)),
    }));
    loadLanes(targets, {
      openText: async (output) => await (await client.tasks.download(task, output, { signal })).text(),
      loadWords: (targetId) => client.tasks.words.get({ taskId: task.id, targetId }, { signal }),
    })
      .then((loaded) => {
        if (!signal.aborted) setLanes(loaded);
      })
      .catch((error: unknown) => {
        if (!signal.aborted) reportError(error);
      });
    return () => abort.abort();
  }, [task.id, done.join()]);
  return lanes;
}
