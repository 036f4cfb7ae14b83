import { createHash } from "node:crypto";
import type { LinkSigner } from "../../../domain/links.ts";
import type { OutputLinks } from "../../../domain/storage/output-links.ts";
import type { TaskFeed } from "../../../domain/tasks/task-feed.ts";
import type { TaskRecord } from "../../../domain/tasks/task-record.ts";
import { toTask } from "../../../domain/tasks/task-view.ts";

/** Reconnection delay sent to the client. */
const RECONNECT_MS = 2000;

/** The ids of a stream's last event. */
export const LAST_EVENT_IDS = { complete: "complete", deleted: "deleted" } as const;

const toEvent = ({ id, name, data }: { id: string; name: string; data: unknown }) =>
  `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/**
 * A Task as server-sent events: `target` for each target now and whenever it changes, at last `task` with the whole Task,
 * or `deleted`. The reader pulls: a slow one gets the latest state, not a backlog. The id of an event encodes the state of
 * each target sent so far, so that a client that reconnects with it, to any process, gets what has changed since.
 */
export async function* makeTaskEvents(options: {
  task: TaskRecord;
  feed: TaskFeed;
  links: OutputLinks;
  signal: AbortSignal;
  /** The last event the reader got, if it reconnects. */
  lastEventId?: string | undefined;
}): AsyncGenerator<string> {
  const { feed, links, signal } = options;
  const { id } = options.task;
  const sent = parseSent(options.task, options.lastEventId);
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
        yield toEvent({ id: LAST_EVENT_IDS.deleted, name: "deleted", data: { id } });
        return;
      }
      const task = latest;
      const signer = await links.prepare([task]);
      const changes = listChanges(task, sent, signer);
      if (task.completedAt !== null) {
        yield changes + toEvent({ id: LAST_EVENT_IDS.complete, name: "task", data: toTask(task, signer) });
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

/** A fingerprint of the last state sent for each target. */
type SentState = Map<string, string>;
const UNSENT = "-";

const toFingerprint = (state: unknown) =>
  createHash("sha256").update(JSON.stringify(state)).digest("base64url").slice(0, 8);

const toEventId = ({ targets }: TaskRecord, sent: SentState) =>
  targets.map(({ id }) => sent.get(id) ?? UNSENT).join(".");

function parseSent({ targets }: TaskRecord, lastEventId: string | undefined): SentState {
  const fingerprints = lastEventId?.split(".") ?? [];
  if (fingerprints.length !== targets.length) return new Map();
  return new Map(targets.map(({ id }, index) => [id, fingerprints[index] ?? UNSENT]));
}

/** Events of the targets that differ from what was sent. Links and remaining time always differ, and don't count. */
function listChanges(task: TaskRecord, sent: SentState, links: LinkSigner): string {
  const views = toTask(task, links).targets;
  return task.targets
    .map((target, index) => {
      const advance = target.status === "processing" ? [task.queuePosition, task.isRunning] : [];
      const state = toFingerprint([target, ...advance]);
      if (sent.get(target.id) === state) return "";
      sent.set(target.id, state);
      return toEvent({ id: toEventId(task, sent), name: "target", data: views[index] });
    })
    .join("");
}
