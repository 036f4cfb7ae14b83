import { isDiskFull } from "@stemwright/engine";

/** The embedded PostgreSQL lies on the same disk, and says it as SQLSTATE; where it can't run at all, its supervisor says so. */
const DISK_FULL_CODES: unknown[] = ["53100", "disk_full"];

export function isOutOfSpace(error: unknown): boolean {
  return isDiskFull(error) || DISK_FULL_CODES.includes((error as { code?: unknown } | undefined)?.code);
}
