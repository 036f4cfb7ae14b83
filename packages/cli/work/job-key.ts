import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { isUrl } from "./list-inputs.ts";

const KEY_CHARACTERS = 32;

/** The same in a second run as long as the file has the same path, size and change time. */
export async function makeJobKey(input: string, facts: unknown = ""): Promise<string> {
  const identity = isUrl(input) ? input : await identifyFile(input);
  return createHash("sha256")
    .update(JSON.stringify([identity, facts]))
    .digest("hex")
    .slice(0, KEY_CHARACTERS);
}

async function identifyFile(path: string): Promise<unknown> {
  const { size, mtimeMs } = await stat(path);
  return [resolve(path), size, mtimeMs];
}
