import { readdir, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { ownersOf, stemCacheFolder } from "./stem-cache.ts";

/**
 * Removes entries without an owner and returns their number; `isKept` is asked for every owner. Asynchronous throughout, because removing a large stem
 * may take long and the caller may have requests to serve.
 */
export async function sweepStemCache(
  cacheDir: string,
  isKept: (owner: string) => Promise<boolean>,
): Promise<number> {
  const folder = stemCacheFolder(cacheDir);
  let removed = 0;
  for (const name of await listNames(folder)) {
    const entry = join(folder, name);
    for (const owner of await listNames(ownersOf(entry))) {
      if (!(await isKept(owner))) await rm(join(ownersOf(entry), owner), { force: true });
    }
    if (await hasOwners(entry)) continue;
    // Retried in case another process adds a stem at this moment.
    await rm(entry, { recursive: true, force: true, maxRetries: 3 });
    removed += 1;
  }
  return removed;
}

/** Removes entries of this owner alone at once. */
export function forgetStems(cacheDir: string, owner: string): Promise<number> {
  return sweepStemCache(cacheDir, async (name) => name !== owner);
}

/** Removes the owners' folder if it is empty, so that no owner can be added to an entry about to be removed. */
async function hasOwners(entry: string): Promise<boolean> {
  try {
    await rmdir(ownersOf(entry));
    return false;
  } catch {
    // A killed process may have started to remove the entry.
    return (await listNames(ownersOf(entry))).length > 0;
  }
}

const listNames = (folder: string) => readdir(folder).catch(() => []);
