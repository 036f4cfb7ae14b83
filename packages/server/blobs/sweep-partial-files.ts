import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { PARTIAL_DIR } from "./file-blobs.ts";

/** Removes half-written files that a killed process left; returns how many. One that is still written to is never old. */
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
