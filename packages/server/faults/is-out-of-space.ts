import { isDiskFull } from "@stemwright/engine";

/** The embedded PostgreSQL is on the same disk and reports this as SQLSTATE; if it can't run at all, its supervisor does. */
const DISK_FULL_CODES: unknown[] = ["53100", "disk_full"];

export function isOutOfSpace(error: unknown): boolean {
  return isDiskFull(error) || DISK_FULL_CODES.includes((error as { code?: unknown } | undefined)?.code);
}
