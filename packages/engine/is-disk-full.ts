/** Error codes of a full file system: no space, quota exceeded. EFBIG, which no free space changes, is not among them. */
export const DISK_FULL_CODES = ["ENOSPC", "EDQUOT"] as const;

export function isDiskFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return DISK_FULL_CODES.some((name) => name === code);
}
