import { readFileSync, renameSync, writeFileSync } from "node:fs";

/** What the file holds, or undefined where there is none or it is not JSON. */
export function findJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** The file is either the old one or the whole new one, whenever the process is killed. */
export function replaceJson(path: string, value: unknown): void {
  const draft = `${path}.part`;
  writeFileSync(draft, JSON.stringify(value));
  renameSync(draft, path);
}
