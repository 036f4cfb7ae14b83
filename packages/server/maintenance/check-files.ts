import type { Database } from "../db/database.ts";
import { isOwnFolder, listOwnedFiles, listOwnerless, removeRowsOf } from "../db/storage/file-owners.ts";
import { makeUnclaimedFiles } from "../db/storage/unclaimed-file-rows.ts";
import type { Blobs } from "../domain/ports.ts";

const BATCH_SIZE = 1000;
/** `outputs/<Task>/previews/<version>` */
const PREVIEWS = /^outputs\/[^/]+\/previews\/[^/]+/;

export type FileCheck = {
  files: number;
  /** Files that no row refers to, by their folder. */
  strayFolders: string[];
  /** Rows whose file is gone, by its key; previews by their folder. */
  missingKeys: string[];
  unknownFolders: string[];
};

/**
 * Compares the stored files with the rows that refer to them: after transactions were lost, with a failover of asynchronous replication or a restored database,
 * they differ. Files are listed first and rows read afterwards; what differs is looked at once more, since the service may be running.
 */
export async function checkFiles(options: {
  db: Database;
  blobs: Pick<Blobs, "findSize">;
  keys: AsyncIterable<string>;
  isRepairing: boolean;
}): Promise<FileCheck> {
  const { db, blobs, isRepairing } = options;
  const keys = new Set<string>();
  const previews = new Set<string>();
  /** With one of its files. */
  const folders = new Map<string, string>();
  for await (const key of options.keys) {
    keys.add(key);
    folders.set(key.split("/").slice(0, 2).join("/"), key);
    const [preview] = PREVIEWS.exec(key) ?? [];
    if (preview !== undefined) previews.add(preview);
  }
  const strayFolders: string[] = [];
  const own = [...folders.keys()].filter(isOwnFolder);
  for (let start = 0; start < own.length; start += BATCH_SIZE)
    for (const folder of await listOwnerless(db, own.slice(start, start + BATCH_SIZE)))
      if ((await blobs.findSize(folders.get(folder) ?? "")) !== undefined) strayFolders.push(folder);
  const missingKeys: string[] = [];
  for await (const owned of listOwnedFiles(db, BATCH_SIZE))
    for (const key of owned.filter((one) => !keys.has(one) && !previews.has(one)))
      if ((await blobs.findSize(key)) === undefined) missingKeys.push(key);
  if (isRepairing) {
    const unclaimed = makeUnclaimedFiles(db);
    for (const folder of strayFolders) await unclaimed.announce(folder);
    for (let start = 0; start < missingKeys.length; start += BATCH_SIZE)
      await removeRowsOf(db, missingKeys.slice(start, start + BATCH_SIZE));
  }
  const unknownFolders = [...folders.keys()].filter((folder) => !isOwnFolder(folder));
  return { files: keys.size, strayFolders, missingKeys, unknownFolders };
}
