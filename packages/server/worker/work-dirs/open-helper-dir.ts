import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeId } from "../../domain/ids.ts";
import { isOwnerAlive, signWorkDir } from "./open-work-dir.ts";

/** With dots, which no id of a Task has. */
const toPrefix = (taskId: string) => `spans.${taskId}.`;
const findTaskId = (name: string) => /^spans\.([^.]+)\./.exec(name)?.[1];

/**
 * The folder in which spans of somebody else's Task are made. Each process has its own, since each has an engine; what one that died on
 * this machine left is taken over, with the span it was at.
 */
export async function openHelperDir(workDir: string, taskId: string): Promise<string> {
  const dir = join(workDir, `${toPrefix(taskId)}${makeId()}`);
  for (const name of await listDirs(workDir, taskId)) {
    if (await isOwnerAlive(join(workDir, name))) continue;
    // Another process may be faster.
    const isOurs = await rename(join(workDir, name), dir).then(
      () => true,
      () => false,
    );
    if (isOurs) break;
  }
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await signWorkDir(dir);
  return dir;
}

async function listDirs(workDir: string, taskId?: string): Promise<string[]> {
  const names = await readdir(workDir).catch(() => []);
  return names.filter((name) =>
    taskId === undefined ? findTaskId(name) !== undefined : name.startsWith(toPrefix(taskId)),
  );
}

/** Removes what workers that died left of the spans of Tasks that have ended; returns how many folders. */
export async function sweepHelperDirs(options: {
  workDir: string;
  isUnfinished(taskId: string): Promise<boolean>;
}): Promise<number> {
  let removed = 0;
  for (const name of await listDirs(options.workDir)) {
    const dir = join(options.workDir, name);
    if ((await options.isUnfinished(findTaskId(name) ?? "")) || (await isOwnerAlive(dir))) continue;
    await rm(dir, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}
