/** In the words of the file system, and as SQLSTATE: the embedded PostgreSQL lies on the same disk. */
const DISK_FULL_CODES = ["ENOSPC", "EDQUOT", "53100"];

export function isDiskFull(error: unknown): boolean {
  return DISK_FULL_CODES.includes((error as { code?: string } | undefined)?.code ?? "");
}
