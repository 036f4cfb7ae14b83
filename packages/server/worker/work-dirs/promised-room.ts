import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isOwnerAlive } from "./open-work-dir.ts";

/** Holds how many bytes the Task of the folder is expected to take. */
const ROOM_FILE = "room";

/** What a work folder takes now. Sparse and shared blocks count as the file system counts them. */
export async function countFolderBytes(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        stat(join(entry.parentPath, entry.name)).then(
          ({ blocks }) => blocks * 512,
          () => 0,
        ),
      ),
  );
  return sizes.reduce((sum, sizeBytes) => sum + sizeBytes, 0);
}

/** Tells the other workers of this disk what a Task will take. */
export const promiseRoom = (taskDir: string, neededBytes: number) =>
  writeFile(join(taskDir, ROOM_FILE), String(neededBytes), { mode: 0o600 });

export const endPromise = (taskDir: string) => rm(join(taskDir, ROOM_FILE), { force: true });

/** What the Tasks in progress on this disk will still take, beside one. */
export async function countPromisedBytes(workDir: string, exceptTaskId: string): Promise<number> {
  const names = (await readdir(workDir).catch(() => [])).filter((name) => name !== exceptTaskId);
  const promised = await Promise.all(
    names.map(async (name) => {
      const dir = join(workDir, name);
      const neededBytes = Number(await readFile(join(dir, ROOM_FILE), "utf8").catch(() => "0"));
      if (neededBytes === 0 || !(await isOwnerAlive(dir))) return 0;
      return Math.max(0, neededBytes - (await countFolderBytes(dir)));
    }),
  );
  return promised.reduce((sum, sizeBytes) => sum + sizeBytes, 0);
}
