import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeId } from "../../domain/ids.ts";
import { isOwnerAlive, signWorkDir } from "./open-work-dir.ts";

/** Contains dots, which no Task id does. */
const toPrefix = (taskId: string) => `spans.${taskId}.`;
const findTaskId = (name: string) => /^spans\.([^.]+)\./.exec(name)?.[1];

/**
 * Opens the folder for spans of another worker's Task. Each process has its own, as each has its own engine. The folder of a process that
 * died on this machine is taken over, with its unfinished span.
 */
export async function openHelperDir(workDir: string, taskId: string): Promise<string> {
  const dir = join(workDir, `${toPrefix(taskId)}${makeId()}`);
  for (const name of await listDirs(workDir, taskId)) {
    if (await isOwnerAlive(join(workDir, name))) continue;
    // Another process may have renamed it first.
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

/** Removes folders that dead workers left for Tasks that have ended; returns how many. */
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
