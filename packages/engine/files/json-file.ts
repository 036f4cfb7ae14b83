import { readFileSync, renameSync, writeFileSync } from "node:fs";

/** The file's content, or undefined if it is missing or not JSON. */
export function findJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** Atomic: after a kill at any time the file is either the old or the new one. */
export function replaceJson(path: string, value: unknown): void {
  const draft = `${path}.part`;
  writeFileSync(draft, JSON.stringify(value));
  renameSync(draft, path);
}
