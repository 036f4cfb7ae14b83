import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../../db/database.ts";
import { withTaskLock } from "../../db/tasks/task-locks.ts";
import { isId } from "../../domain/ids.ts";

/** Removes work folders of deleted and finished Tasks; returns how many. Folders in use are skipped. */
export async function sweepWorkDirs(options: {
  db: Database;
  workDir: string;
  isUnfinished(taskId: string): Promise<boolean>;
}): Promise<number> {
  const names = await readdir(options.workDir).catch(() => []);
  let removed = 0;
  for (const taskId of names.filter(isId)) {
    if (await options.isUnfinished(taskId)) continue;
    const remove = () => rm(join(options.workDir, taskId), { recursive: true, force: true });
    const isRemoved = await withTaskLock(options.db, taskId, () => remove().then(() => true));
    if (isRemoved) removed += 1;
  }
  return removed;
}
