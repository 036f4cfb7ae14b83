import { appendFileSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { prepareSpoolFolder } from "./spool-folder.ts";

/** Completed steps of some work, one per line: its checkpoint. A line truncated by a kill does not count. */
export class LineLog<Entry> {
  readonly #path: string;
  readonly entries: Entry[];

  /** `identity` is everything the entries depend on; a log made from anything else is discarded. */
  constructor(
    folder: string,
    options: { identity: Record<string, string | number>; entrySchema: z.ZodType<Entry> },
  ) {
    this.#path = join(folder, "log.jsonl");
    prepareSpoolFolder(folder, options.identity);
    const { entries, sizeBytes } = readEntries(this.#path, options.entrySchema);
    this.entries = entries;
    // Valid entries survive a kill at any time.
    appendFileSync(this.#path, "");
    truncateSync(this.#path, sizeBytes);
  }

  append(entries: readonly Entry[]): void {
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
    appendFileSync(this.#path, lines, { flush: true });
    this.entries.push(...entries);
  }
}

/** The entries of whole lines, and their size in the file. */
function readEntries<Entry>(path: string, schema: z.ZodType<Entry>): { entries: Entry[]; sizeBytes: number } {
  const entries: Entry[] = [];
  let sizeBytes = 0;
  for (const line of findText(path).split("\n").slice(0, -1)) {
    const entry = schema.safeParse(parseLine(line));
    if (!entry.success) break;
    entries.push(entry.data);
    sizeBytes += Buffer.byteLength(line) + 1;
  }
  return { entries, sizeBytes };
}

function findText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
