import type { TaskChanges } from "../ports.ts";
import type { TaskRecord } from "./task-record.ts";

/** Called with the Task after a change; with undefined if it is gone. */
type Listener = (task: TaskRecord | undefined) => void;
type Watched = { listeners: Set<Listener>; isLoading: boolean; isStale: boolean; mark?: string };

/** How often a watched Task is read without a notification: its queue position moves with other Tasks. */
const REFRESH_INTERVAL_MS = 15_000;
/** How often the progress of watched Tasks is polled: it sends no notifications. */
const PROGRESS_INTERVAL_MS = 1000;

/** Follows Tasks for any number of listeners: a Task is read once for each change, however many follow it. */
export function makeTaskFeed(ports: {
  changes: TaskChanges;
  findTask(id: string): Promise<TaskRecord | undefined>;
  /** A mark per Task that changes with its progress. */
  listMarks(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  onError: (error: unknown) => void;
}) {
  const watched = new Map<string, Watched>();
  let isLooking = false;

  async function refresh(taskId: string): Promise<void> {
    const entry = watched.get(taskId);
    if (!entry) return;
    entry.isStale = true;
    if (entry.isLoading) return;
    entry.isLoading = true;
    try {
      while (entry.isStale) {
        entry.isStale = false;
        const task = await ports.findTask(taskId);
        for (const listener of [...entry.listeners]) listener(task);
      }
    } catch (error) {
      ports.onError(error);
    } finally {
      entry.isLoading = false;
    }
  }

  /** One query for all of them. */
  async function lookForProgress(): Promise<void> {
    if (isLooking || watched.size === 0) return;
    isLooking = true;
    try {
      for (const [taskId, mark] of await ports.listMarks([...watched.keys()])) {
        const entry = watched.get(taskId);
        if (!entry || entry.mark === mark) continue;
        entry.mark = mark;
        void refresh(taskId);
      }
    } catch (error) {
      ports.onError(error);
    } finally {
      isLooking = false;
    }
  }

  const refreshAll = () => {
    for (const taskId of watched.keys()) void refresh(taskId);
  };
  const unsubscribe = ports.changes.subscribe((taskId) =>
    taskId === undefined ? refreshAll() : void refresh(taskId),
  );
  const timer = setInterval(refreshAll, REFRESH_INTERVAL_MS);
  timer.unref();
  const progressTimer = setInterval(() => void lookForProgress(), PROGRESS_INTERVAL_MS);
  progressTimer.unref();

  return {
    follow(taskId: string, listener: Listener): () => void {
      const entry: Watched = watched.get(taskId) ?? {
        listeners: new Set(),
        isLoading: false,
        isStale: false,
      };
      watched.set(taskId, entry);
      entry.listeners.add(listener);
      void refresh(taskId);
      return () => {
        entry.listeners.delete(listener);
        if (entry.listeners.size === 0 && watched.get(taskId) === entry) watched.delete(taskId);
      };
    },
    close(): void {
      clearInterval(timer);
      clearInterval(progressTimer);
      unsubscribe();
    },
  };
}
export type TaskFeed = ReturnType<typeof makeTaskFeed>;
