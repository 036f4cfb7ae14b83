import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { findJson, replaceJson } from "./json-file.ts";

/** Empties a pass's folder unless its content was made from the same input, weights and settings. */
export function prepareSpoolFolder(folder: string, identity: Record<string, string | number>): void {
  const statePath = join(folder, "pass.json");
  if (isDeepStrictEqual(findJson(statePath), identity)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  replaceJson(statePath, identity);
}
