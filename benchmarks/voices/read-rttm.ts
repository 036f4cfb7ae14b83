import { readFileSync } from "node:fs";
import type { SpokenSpan } from "./spoken-steps.ts";

export function readRttm(path: string): SpokenSpan[] {
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const [, , , start = "0", seconds = "0", , , who = ""] = line.split(/\s+/);
      return { who, startSeconds: Number(start), endSeconds: Number(start) + Number(seconds) };
    });
}
