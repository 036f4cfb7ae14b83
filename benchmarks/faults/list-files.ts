import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";

/** Files below a folder, by their paths from it; none where there is no such folder. */
export async function listFiles(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)));
}
