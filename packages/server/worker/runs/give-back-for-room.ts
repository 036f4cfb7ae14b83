import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import type { TaskReports } from "../../domain/tasks/task-reports.ts";
import type { TaskRun } from "../../domain/tasks/task-run.ts";
import { isOutOfSpace } from "../../faults/is-out-of-space.ts";
import type { DiskRoom } from "../../monitoring/disk-room.ts";
import { countFolderBytes } from "../work-dirs/promised-room.ts";
import { ShortOfRoom } from "./reserve-room.ts";

const RETRY_MS = 1000;

/**
 * Returns a Task that a full disk has stopped; it is not an attempt. Its folder stays for the next run, unless the database has no room either to record
 * this: that comes first.
 */
export async function giveBackForRoom(
  ports: {
    reports: Pick<TaskReports, "giveBackForRoom">;
    room: Pick<DiskRoom, "makeRoom">;
    workDir: string;
    log: Pick<FastifyBaseLogger, "warn">;
  },
  run: TaskRun,
  { error, signal }: { error: unknown; signal: AbortSignal },
): Promise<void> {
  const { taskId } = run;
  const taskDir = join(ports.workDir, taskId);
  // What it had was not enough.
  const neededBytes =
    error instanceof ShortOfRoom ? error.neededBytes : (await countFolderBytes(taskDir)) + 1;
  ports.log.warn({ err: error, taskId, neededBytes }, "disk full, Task returned to the queue");
  await ports.room.makeRoom({ taskId });
  for (;;) {
    try {
      return await ports.reports.giveBackForRoom(run, neededBytes);
    } catch (failure) {
      if (!isOutOfSpace(failure) || signal.aborted) throw failure;
    }
    await rm(taskDir, { recursive: true, force: true });
    await wait(RETRY_MS, undefined, { signal }).catch(() => {});
  }
}
