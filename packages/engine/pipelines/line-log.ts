import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";
import { prepareSpoolFolder } from "./spool-folder.ts";

/** What is done of a work, a line each: its checkpoint. A line that a kill cut short does not count. */
export class LineLog<Entry> {
  readonly #path: string;
  readonly entries: Entry[];

  /** `identity` is what the entries depend on; a log made from anything else is thrown away. */
  constructor(
    folder: string,
    options: { identity: Record<string, string | number>; entrySchema: z.ZodType<Entry> },
  ) {
    this.#path = join(folder, "log.jsonl");
    prepareSpoolFolder(folder, options.identity);
    this.entries = readEntries(this.#path, options.entrySchema);
    rmSync(this.#path, { force: true });
    this.#write(this.entries);
  }

  append(entries: readonly Entry[]): void {
    this.#write(entries);
    this.entries.push(...entries);
  }

  #write(entries: readonly Entry[]): void {
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
    appendFileSync(this.#path, lines, { flush: true });
  }
}

function readEntries<Entry>(path: string, schema: z.ZodType<Entry>): Entry[] {
  const entries: Entry[] = [];
  for (const line of findText(path).split("\n")) {
    const entry = schema.safeParse(parseLine(line));
    if (!entry.success) break;
    entries.push(entry.data);
  }
  return entries;
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
