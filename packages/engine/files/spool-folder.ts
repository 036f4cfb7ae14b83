import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { findJson, replaceJson } from "./json-file.ts";

const STATE_FILE = "pass.json";

/** What a pass's folder was made from. */
export function readSpoolIdentity(folder: string): unknown {
  return findJson(join(folder, STATE_FILE));
}

/** Empties a pass's folder unless its content was made from the same input, weights and settings. */
export function prepareSpoolFolder(folder: string, identity: Record<string, string | number>): void {
  if (isDeepStrictEqual(readSpoolIdentity(folder), identity)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  replaceJson(join(folder, STATE_FILE), identity);
}
