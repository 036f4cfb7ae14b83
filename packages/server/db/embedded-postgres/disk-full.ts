import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

/** PostgreSQL's programs report it only in their output; they run under LC_ALL=C, so the text is fixed. */
export function isDiskFullMessage(words: string): boolean {
  return /No space left on device|Disk quota exceeded/.test(words);
}

export function makePostgresDiskFullError(dir: string, options?: ErrorOptions): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    "disk_full",
    `The disk is full: the embedded PostgreSQL needs room in ${dir}, 200 MB at first. Free some space and start again, or set DATA_DIR to a folder on another disk. Nothing that was saved is lost.`,
    options,
  );
}
