import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type SpokenWindow, WindowLog } from "./window-log.ts";

const folder = mkdtempSync(join(tmpdir(), "stemwright-windows-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("[V7] keeps whole windows for the next run, drops one that was cut short, and all of another input", () => {
  const window = (text: string): SpokenWindow[] => [
    {
      language: "en",
      heard: [["en", 0.9]],
      speechSeconds: 3,
      words: [{ text, startSeconds: 1, endSeconds: 2, confidence: 0.5 }],
    },
  ];
  const path = join(folder, "log");
  new WindowLog(path, { input: "a" }).append([window("one"), window("two")]);
  appendFileSync(join(path, "windows.jsonl"), '[{"language":"en","hea');
  const second = new WindowLog(path, { input: "a" });
  expect(second.windows).toEqual([window("one"), window("two")]);
  second.append([window("three")]);
  expect(new WindowLog(path, { input: "a" }).windows).toHaveLength(3);
  expect(new WindowLog(path, { input: "b" }).windows).toEqual([]);
});
