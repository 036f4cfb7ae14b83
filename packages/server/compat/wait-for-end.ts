import { ApiError } from "@stemwright/contract";
import type { TaskFeed } from "../domain/tasks/task-feed.ts";
import type { TaskRecord } from "../domain/tasks/task-record.ts";

export type WaitLimits = { startSeconds: number; maxSeconds: number };

const makeSlowError = (seconds: number) =>
  new ApiError(
    "QUEUE_SLOW",
    `The service is busy: the request waited ${seconds} s and did not get its turn. Try again as Retry-After says`,
  );
const makeLongError = (seconds: number) =>
  new ApiError(
    "WAIT_TOO_LONG",
    `The recording was not done after ${seconds} s. Send a shorter one, or create a Task with POST /tasks, which nobody has to wait for`,
  );

/** Resolves with the Task once it is complete. Rejects if it is gone, does not start or end in time, or the signal aborts. */
export async function waitForEnd(
  feed: TaskFeed,
  taskId: string,
  { limits, signal }: { limits: WaitLimits; signal: AbortSignal },
): Promise<TaskRecord> {
  const done = Promise.withResolvers<TaskRecord>();
  const rejectAfter = (seconds: number, makeError: (seconds: number) => ApiError) =>
    setTimeout(() => done.reject(makeError(seconds)), seconds * 1000);
  const startTimer = rejectAfter(limits.startSeconds, makeSlowError);
  const endTimer = rejectAfter(limits.maxSeconds, makeLongError);
  const giveUp = () => done.reject(signal.reason);
  const unfollow = feed.follow(taskId, (task) => {
    if (task === undefined)
      done.reject(new ApiError("TASK_CANCELLED", "The request's Task was deleted by another request"));
    else if (task.completedAt !== null) done.resolve(task);
    else if (task.isRunning) clearTimeout(startTimer);
  });
  signal.addEventListener("abort", giveUp);
  if (signal.aborted) giveUp();
  try {
    return await done.promise;
  } finally {
    clearTimeout(startTimer);
    clearTimeout(endTimer);
    signal.removeEventListener("abort", giveUp);
    unfollow();
  }
}
