import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The recordings of a folder that have an rttm file. */
export function listConversations(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".wav"))
    .sort()
    .map((file) => join(folder, file))
    .filter((path) => existsSync(path.replace(/wav$/, "rttm")));
}
