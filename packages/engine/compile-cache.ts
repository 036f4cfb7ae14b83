import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let chosen: string | undefined;
const found = new Map<string, string | undefined>();

/** From now on this process uses the folder that it was started with. */
export function useCompileCachePath(path: string): void {
  chosen = path;
}

/**
 * A folder in which processes of a kind share compiled modules: a media child then starts with 110 ms of work instead of 260, an engine child with
 * 0.2 s instead of 0.4. Undefined if there is no folder that only this user can write: its files are executed. Engine children have their own, which
 * they can write while they are confined.
 */
export function findCompileCachePath(kind: "media" | "engine" = "media"): string | undefined {
  if (chosen !== undefined) return chosen;
  if (!found.has(kind)) {
    const name = `stemwright-compiled-${process.getuid?.() ?? "user"}${kind === "engine" ? "-engine" : ""}`;
    found.set(kind, makePrivateFolder(join(tmpdir(), name)));
  }
  return found.get(kind);
}

function makePrivateFolder(path: string): string | undefined {
  try {
    mkdirSync(path, { mode: 0o700, recursive: true });
    const stats = lstatSync(path);
    const isPrivate = stats.isDirectory() && stats.uid === process.getuid?.() && (stats.mode & 0o077) === 0;
    return isPrivate ? path : undefined;
  } catch {
    return undefined;
  }
}
