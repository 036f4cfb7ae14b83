/** Error codes of a full file system: no space, quota exceeded, file too large. */
export const DISK_FULL_CODES = ["ENOSPC", "EDQUOT", "EFBIG"] as const;

export function isDiskFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return DISK_FULL_CODES.some((name) => name === code);
}
