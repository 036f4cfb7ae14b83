import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

export type FolderLock = { release(): void };

const sqliteBusy = 5;

/**
 * Locks a folder for this process. The lock is the kernel's own (fcntl, through an SQLite file that never gets a row), so it ends with the process however
 * that ends, and it also works between containers that share the folder. A pid file was rejected: pids are reused, and two starters can both consider the
 * same file stale.
 */
export function lockFolder(dir: string): FolderLock {
  // Only SQLite may open this file: closing any descriptor of it would drop the process's lock.
  const database = new DatabaseSync(join(dir, "lock"));
  const holderPath = join(dir, "lock-holder");
  try {
    // In memory, so that a killed process leaves no journal file.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new EmbeddedPostgresError(
      "data_dir_in_use",
      `Another running service${describeHolder(holderPath)} uses the database in ${dir}: stop that one first, or set DATA_DIR to another folder for this one.`,
      { cause: error },
    );
  }
  // Only for the error message above; never used to decide whether the holder is alive.
  writeFileSync(holderPath, String(process.pid));
  return { release: () => database.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === sqliteBusy;
}

function describeHolder(holderPath: string): string {
  try {
    return ` (process ${Number.parseInt(readFileSync(holderPath, "utf8"), 10)})`;
  } catch {
    return "";
  }
}
