export function isDiskFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException | undefined)?.code ?? "");
}
