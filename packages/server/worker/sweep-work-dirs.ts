import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import { isId } from "../domain/ids.ts";
import { findTaskLock } from "./task-lock.ts";

/** Removes work folders of Tasks that were deleted or are finished; gives how many. What a worker is at is left to it. */
export async function sweepWorkDirs(options: {
  pool: pg.Pool;
  workDir: string;
  isUnfinished(taskId: string): Promise<boolean>;
}): Promise<number> {
  const names = await readdir(options.workDir).catch(() => []);
  let removed = 0;
  for (const taskId of names.filter(isId)) {
    if (await options.isUnfinished(taskId)) continue;
    const lock = await findTaskLock(options.pool, taskId);
    if (!lock) continue;
    try {
      await rm(join(options.workDir, taskId), { recursive: true, force: true });
      removed += 1;
    } finally {
      await lock.release();
    }
  }
  return removed;
}
