import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { prepareSpoolFolder } from "../spool-folder.ts";

/** Raised whenever the same input and weights would give another text. */
const LOG_VERSION = 1;

const spokenWindowSchema = z.object({
  language: z.string(),
  /** How probable the languages were, the likeliest few. */
  heard: z.array(z.tuple([z.string(), z.number()])),
  speechSeconds: z.number(),
  words: z.array(
    z.object({
      text: z.string(),
      startSeconds: z.number(),
      endSeconds: z.number(),
      confidence: z.number(),
    }),
  ),
});

/** What was heard in a window, or the part of one that is in one language; times are those of the recording. */
export type SpokenWindow = z.infer<typeof spokenWindowSchema>;

const lineSchema = z.array(spokenWindowSchema).min(1);

/** The windows that are done, a line each: the checkpoint of a transcription. A line that a kill cut short does not count. */
export class WindowLog {
  readonly #path: string;
  /** A list for each window: its parts, one as a rule. */
  readonly windows: SpokenWindow[][];

  /** `identity` is what the windows depend on; a log made from anything else is thrown away. */
  constructor(folder: string, identity: Record<string, string | number>) {
    this.#path = join(folder, "windows.jsonl");
    prepareSpoolFolder(folder, { version: LOG_VERSION, ...identity });
    this.windows = readWindows(this.#path);
    replaceLines(this.#path, this.windows);
  }

  append(windows: readonly SpokenWindow[][]): void {
    appendFileSync(this.#path, toLines(windows), { flush: true });
    this.windows.push(...windows);
  }
}

function readWindows(path: string): SpokenWindow[][] {
  const windows: SpokenWindow[][] = [];
  for (const line of findText(path).split("\n")) {
    const window = lineSchema.safeParse(parseLine(line));
    if (!window.success) break;
    windows.push(window.data);
  }
  return windows;
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

function replaceLines(path: string, windows: readonly SpokenWindow[][]): void {
  rmSync(path, { force: true });
  appendFileSync(path, toLines(windows), { flush: true });
}

function toLines(windows: readonly SpokenWindow[][]): string {
  return windows.map((window) => `${JSON.stringify(window)}\n`).join("");
}
