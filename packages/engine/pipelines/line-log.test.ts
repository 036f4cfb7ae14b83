import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";
import { LineLog } from "./line-log.ts";

const folder = mkdtempSync(join(tmpdir(), "stemwright-log-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("[V7] keeps whole entries for the next run, drops one that was cut short, and all of another input", () => {
  const path = join(folder, "log");
  const open = (input: string) =>
    new LineLog(path, { identity: { input }, entrySchema: z.object({ word: z.string() }) });
  open("a").append([{ word: "one" }, { word: "two" }]);
  appendFileSync(join(path, "log.jsonl"), '{"word":"thr');
  const second = open("a");
  expect(second.entries).toEqual([{ word: "one" }, { word: "two" }]);
  second.append([{ word: "three" }]);
  expect(open("a").entries).toHaveLength(3);
  expect(open("b").entries).toEqual([]);
});
