import { isDiskFull as isFileSystemFull } from "@stemwright/engine";

/** The embedded PostgreSQL lies on the same disk, and says it as SQLSTATE. */
const DISK_FULL_SQLSTATE = "53100";

export function isDiskFull(error: unknown): boolean {
  return isFileSystemFull(error) || (error as { code?: unknown } | undefined)?.code === DISK_FULL_SQLSTATE;
}
