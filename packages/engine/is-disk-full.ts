/** What the file system says where nothing more can be written: no space, no more of a quota, no larger file. */
export const DISK_FULL_CODES = ["ENOSPC", "EDQUOT", "EFBIG"] as const;

export function isDiskFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return DISK_FULL_CODES.some((name) => name === code);
}
