import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { PARTIAL_DIR } from "./file-blobs.ts";

/** Removes half-written files of killed processes; returns how many. One still being written is never that old. */
export async function sweepPartialFiles(rootDir: string, before: Date): Promise<number> {
  const partialDir = join(rootDir, PARTIAL_DIR);
  let removed = 0;
  for (const name of await readdir(partialDir)) {
    const path = join(partialDir, name);
    const file = await stat(path).catch(() => undefined);
    if (!file || file.mtime >= before) continue;
    await rm(path, { force: true, recursive: true });
    removed += 1;
  }
  return removed;
}
