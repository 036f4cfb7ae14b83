import { setTimeout as wait } from "node:timers/promises";
import type { TargetProgress } from "@stemwright/engine";
import type { FastifyBaseLogger } from "fastify";
import type { TargetAdvance } from "../../domain/tasks/task-record.ts";
import type { TaskReports } from "../../domain/tasks/task-reports.ts";
import { RunLost, type TaskRun } from "../../domain/tasks/task-run.ts";

/** How often progress is written, and thus how soon a cancelled or deleted Task is noticed. */
const WATCH_INTERVAL_MS = 1000;

export type TaskWatch = {
  signal: AbortSignal;
  /** The Task was cancelled or deleted, or has ended. */
  over: AbortSignal;
  /** Another worker has taken the Task over. */
  lost: AbortSignal;
  report(progress: readonly TargetProgress[]): void;
  stop(): void;
};

/** Writes progress once a second, and aborts the run when the Task is over or lost. */
export function watchTask(
  ports: { reports: Pick<TaskReports, "setProgress">; log: Pick<FastifyBaseLogger, "warn"> },
  run: TaskRun,
  signal: AbortSignal,
): TaskWatch {
  const ended = new AbortController();
  const lost = new AbortController();
  const stopped = new AbortController();
  const reported = new Map<string, TargetProgress & { atMs: number }>();

  async function look(): Promise<void> {
    const advances = [...reported.values()].map(toAdvance);
    reported.clear();
    const state = await ports.reports.setProgress(run, advances);
    if (state === "over") ended.abort(new Error("nothing is left to do of the Task"));
    else if (state === "lost") lost.abort(new RunLost());
  }
  async function keepLooking(): Promise<void> {
    const { signal } = stopped;
    while (await wait(WATCH_INTERVAL_MS, true, { signal }).catch(() => false)) {
      await look().catch((error) =>
        ports.log.warn({ err: error, taskId: run.taskId }, "failed to write progress"),
      );
    }
  }
  void keepLooking();
  return {
    signal: AbortSignal.any([signal, ended.signal, lost.signal]),
    over: ended.signal,
    lost: lost.signal,
    report: (progress) => {
      for (const one of progress) reported.set(one.key, { ...one, atMs: performance.now() });
    },
    stop: () => stopped.abort(),
  };
}

/** The last estimate of the remaining time, minus the time since then. */
function toAdvance({ key, fraction, secondsLeft, atMs }: TargetProgress & { atMs: number }): TargetAdvance {
  const passedSeconds = (performance.now() - atMs) / 1000;
  return { targetId: key, progress: fraction, secondsLeft: secondsLeft && secondsLeft - passedSeconds };
}
