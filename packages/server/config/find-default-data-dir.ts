import { isAbsolute, join } from "node:path";

/** Where the service keeps its data when DATA_DIR is not set. */
export function findDefaultDataDir(options: {
  isRoot: boolean;
  xdgDataHome?: string;
  homeDir: string;
}): string {
  if (options.isRoot) return "/var/lib/stemwright";
  // The XDG base directory specification: a relative value is invalid and has to be ignored.
  const isXdgDataHomeValid = isAbsolute(options.xdgDataHome ?? "");
  const dataHome = isXdgDataHomeValid ? options.xdgDataHome : undefined;
  return join(dataHome ?? join(options.homeDir, ".local", "share"), "stemwright");
}
