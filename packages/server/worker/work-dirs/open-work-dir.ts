import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { makeId } from "../../domain/ids.ts";

const OWNER_FILE = "owner";

type Owner = { host: string; pid: number };
const SELF: Owner = { host: hostname(), pid: process.pid };

/**
 * Opens a Task's work folder, with what earlier runs left in it. If the worker of the last run is still alive on this machine (it was frozen,
 * and the Task was taken from it), its engine may still be writing. Then its folder is renamed, for the sweeper to remove, and the work
 * starts again in an empty one.
 */
export async function openWorkDir(workDir: string, taskId: string, self: Owner = SELF): Promise<string> {
  const taskDir = join(workDir, taskId);
  const owner = await findOwner(taskDir);
  if (owner && owner.host === self.host && owner.pid !== self.pid && isAlive(owner.pid))
    await rename(taskDir, join(workDir, makeId()));
  await mkdir(join(taskDir, "out"), { recursive: true, mode: 0o700 });
  await signWorkDir(taskDir, self);
  return taskDir;
}

/** Records which process uses the folder. */
export const signWorkDir = (dir: string, self: Owner = SELF) =>
  writeFile(join(dir, OWNER_FILE), JSON.stringify(self), { mode: 0o600 });

/** Whether the process that signed the folder is alive on this machine. */
export async function isOwnerAlive(dir: string): Promise<boolean> {
  const owner = await findOwner(dir);
  return owner !== undefined && owner.host === SELF.host && isAlive(owner.pid);
}

/** Whether another live process of this machine, or one of another machine, may be using the folder; one without a signature may just have been made. */
export async function isOwnerElsewhere(dir: string): Promise<boolean> {
  const owner = await findOwner(dir);
  if (owner === undefined) return true;
  return owner.host !== SELF.host || (owner.pid !== SELF.pid && isAlive(owner.pid));
}

async function findOwner(taskDir: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(join(taskDir, OWNER_FILE), "utf8")) as Owner;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
