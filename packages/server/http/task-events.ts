import type { LinkSigner } from "../domain/links.ts";
import type { OutputLinks } from "../domain/storage/output-links.ts";
import type { TaskFeed } from "../domain/tasks/task-feed.ts";
import type { TaskRecord } from "../domain/tasks/task-record.ts";
import { toTask } from "../domain/tasks/task-view.ts";

/** How long a client waits before it connects again. */
const RECONNECT_MS = 2000;

const toEvent = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * A Task as server-sent events: `target` for each target now and whenever it changes, at last `task` with the whole Task,
 * or `deleted`. Pulled by whoever reads: a slow reader gets the latest state, not a backlog.
 */
export async function* makeTaskEvents(options: {
  task: TaskRecord;
  feed: TaskFeed;
  links: OutputLinks;
  signal: AbortSignal;
}): AsyncGenerator<string> {
  const { feed, links, signal } = options;
  const { id } = options.task;
  const sent = new Map<string, string>();
  let latest: TaskRecord | undefined = options.task;
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();
  const unfollow = feed.follow(id, (task) => {
    latest = task;
    wake();
  });
  signal.addEventListener("abort", wake);
  try {
    yield `retry: ${RECONNECT_MS}\n\n`;
    while (!signal.aborted) {
      if (!latest) {
        yield toEvent("deleted", { id });
        return;
      }
      const task = latest;
      const signer = await links.prepare([task]);
      const changes = listChanges(task, sent, signer);
      if (task.completedAt !== null) {
        yield changes + toEvent("task", toTask(task, signer));
        return;
      }
      // A comment keeps proxies from taking a quiet connection for a dead one.
      yield changes === "" ? ": keep-alive\n\n" : changes;
      await woken.promise;
      woken = Promise.withResolvers<void>();
    }
  } finally {
    signal.removeEventListener("abort", wake);
    unfollow();
  }
}

/** Events of the targets that differ from what was sent. Links and the time left differ at each look, and don't count. */
function listChanges(task: TaskRecord, sent: Map<string, string>, links: LinkSigner): string {
  const views = toTask(task, links).targets;
  return task.targets
    .map((target, index) => {
      const advance = target.status === "processing" ? [task.queuePosition, task.isRunning] : [];
      const state = JSON.stringify([target, ...advance]);
      if (sent.get(target.id) === state) return "";
      sent.set(target.id, state);
      return toEvent("target", views[index]);
    })
    .join("");
}
