import { appendFileSync, linkSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { LineLog } from "./line-log.ts";

const folder = mkdtempSync(join(tmpdir(), "stemwright-log-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("[V7] keeps complete entries for the next run, drops a truncated one and those of another input", () => {
  const path = join(folder, "log");
  const open = (input: string) =>
    new LineLog(path, { identity: { input }, entrySchema: z.object({ word: z.string() }) });
  open("a").append([{ word: "one" }, { word: "zwölf" }]);
  const file = join(path, "log.jsonl");
  linkSync(file, join(folder, "link"));
  appendFileSync(file, '{"word":"thr');
  const second = open("a");
  expect(second.entries).toEqual([{ word: "one" }, { word: "zwölf" }]);
  // The same inode: the file was never replaced.
  expect(readFileSync(join(folder, "link"), "utf8")).toBe('{"word":"one"}\n{"word":"zwölf"}\n');
  second.append([{ word: "three" }]);
  expect(open("a").entries).toHaveLength(3);
  expect(open("b").entries).toEqual([]);
});
