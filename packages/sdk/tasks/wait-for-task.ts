import type { Target, Task } from "@stemwright/contract";
import { makeApiError } from "../errors.ts";
import { makeRetryDelayMs } from "../http/retry-delay.ts";
import { route } from "../http/route.ts";
import { sleep } from "../http/sleep.ts";
import { isWorthRetrying, type Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";
import { followTask } from "./task-events.ts";

const POLL_INTERVAL_MS = 2000;
/** Consecutive failures tolerated while polling: enough for a restart of the service. */
const MAX_FAILED_POLLS = 10;

export type TaskProgress = {
  /** Mean over all targets, 0 to 1. */
  progress: number;
  /** Seconds until the last target finishes, once known. */
  etaSeconds: number | undefined;
  /** Latest known state. */
  task: Task;
};

export type QueueUpdate = {
  /** 0 while the Task is running, 1 when it is next. */
  position: number;
  task: Task;
};

export type WaitOptions = RequestOptions & {
  onProgress?: ((update: TaskProgress) => void) | undefined;
  onQueueUpdate?: ((update: QueueUpdate) => void) | undefined;
  /** Poll interval if events are unavailable. Default: 2000. */
  pollIntervalMs?: number | undefined;
};

const isDone = (task: Task) => task.completedAt !== null;

function measureProgress(targets: readonly Target[]) {
  const parts = targets.map(({ status, progress = 0 }) => (status === "processing" ? progress : 1));
  const etas = targets.flatMap(({ etaSeconds }) => etaSeconds ?? []);
  return {
    progress: parts.reduce((sum, part) => sum + part, 0) / parts.length,
    etaSeconds: etas.length > 0 ? Math.max(...etas) : undefined,
  };
}

/** Tracks the latest state of a Task and calls back on changes. */
function makeWatcher({ onProgress, onQueueUpdate }: WaitOptions) {
  let latest: Task | undefined;
  let toldProgress = "";
  let toldPosition: number | undefined;

  function see(task: Task): void {
    latest = task;
    const position = task.targets.find(({ queuePosition }) => queuePosition !== undefined)?.queuePosition;
    if (position !== undefined && position !== toldPosition) {
      toldPosition = position;
      onQueueUpdate?.({ position, task });
    }
    const progress = measureProgress(task.targets);
    if (JSON.stringify(progress) === toldProgress) return;
    toldProgress = JSON.stringify(progress);
    onProgress?.({ ...progress, task });
  }

  return {
    see,
    seeTarget(target: Target): void {
      if (!latest) return;
      see({ ...latest, targets: latest.targets.map((known) => (known.id === target.id ? target : known)) });
    },
  };
}

async function pollTask(load: () => Promise<Task>, see: (task: Task) => void, options: WaitOptions) {
  const { pollIntervalMs = POLL_INTERVAL_MS, signal } = options;
  for (let failures = 0; ; ) {
    try {
      const task = await load();
      failures = 0;
      see(task);
      if (isDone(task)) return task;
    } catch (error) {
      failures += 1;
      if (!isWorthRetrying(error) || failures > MAX_FAILED_POLLS) throw error;
    }
    await sleep(pollIntervalMs + (failures > 0 ? makeRetryDelayMs(failures, undefined) : 0), signal);
  }
}

/** Resolves with the finished Task: follows its events, falls back to polling. */
export async function waitForTask(
  transport: Transport,
  taskOrId: Task | string,
  options: WaitOptions = {},
): Promise<Task> {
  const id = typeof taskOrId === "string" ? taskOrId : taskOrId.id;
  const load = () => transport.load<Task>({ method: "GET", path: route`/tasks/${id}` }, options);
  const watcher = makeWatcher(options);
  const first = typeof taskOrId === "string" ? await load() : taskOrId;
  watcher.see(first);
  if (isDone(first)) return first;
  const events = followTask(transport, id, options);
  try {
    for (;;) {
      // Whatever is wrong with the events, polling either works or reports the actual error.
      const next = await events.next().catch(() => undefined);
      options.signal?.throwIfAborted();
      if (!next || next.done) return await pollTask(load, watcher.see, options);
      const event = next.value;
      if (event.type === "deleted")
        throw makeApiError(404, {
          code: "NOT_FOUND",
          message: `Task ${id} was deleted`,
        });
      if (event.type === "target") watcher.seeTarget(event.target);
      else {
        watcher.see(event.task);
        return event.task;
      }
    }
  } finally {
    void events.return();
  }
}
