import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EngineProcess } from "../process/engine-process.ts";
import type { TimedWord } from "../text/timed-text.ts";

const INPUT = join(import.meta.dirname, "../transcription/support/english.opus");
const folder = mkdtempSync(join(tmpdir(), "stemwright-gap-"));
const engine = new EngineProcess({
  threads: 2,
  speechNetwork: "whisper-tiny",
  cacheDir: join(folder, "cache"),
});
let words: TimedWord[];

type JsonWord = { start: number; end: number; text: string };

beforeAll(async () => {
  const path = join(folder, "words.json");
  await engine.run({
    inputPath: INPUT,
    workDir: join(folder, "work"),
    targets: [
      { kind: "text", key: "t", model: "transcription", language: "en", files: [{ format: "json", path }] },
    ],
  });
  const { lines } = JSON.parse(readFileSync(path, "utf8")) as { lines: { words: JsonWord[] }[] };
  words = lines
    .flatMap((line) => line.words)
    .map(({ start, end, text }) => ({ text, startSeconds: start, endSeconds: end, confidence: 1 }));
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

/** Aligns a text to the words from `first` up to `behind`. */
const align = (text: string, [first, behind]: [number, number], signal?: AbortSignal) =>
  engine.alignGap(
    {
      inputPath: INPUT,
      workDir: join(folder, "gap"),
      text,
      startSeconds: words[first - 1]?.endSeconds ?? 0,
      endSeconds: words[behind]?.startSeconds ?? 99,
      before: words.slice(Math.max(0, first - 4), first),
      after: words.slice(behind, behind + 4),
      language: "en",
    },
    signal ? { signal } : {},
  );

describe("alignGap", () => {
  it("[Z7] finds the words of a gap again, to about a tenth of a second", async () => {
    const { lines } = await align("sailed across\nthe northern ", [2, 6]);
    expect(lines.map((line) => line.words.map(({ text }) => text))).toEqual([
      ["sailed ", "across\n"],
      ["the ", "northern "],
    ]);
    const found = lines.flatMap((line) => line.words);
    found.forEach(({ startSeconds, endSeconds, confidence }, n) => {
      expect(Math.abs(startSeconds - (words[n + 2]?.startSeconds ?? 99))).toBeLessThan(0.15);
      expect(Math.abs(endSeconds - (words[n + 2]?.endSeconds ?? 99))).toBeLessThan(0.15);
      expect(confidence).toBeGreaterThan(0.5);
    });
    expect(readdirSync(join(folder, "gap"))).not.toContain("gap.f32");
  });

  it("[Z7] times stay in order and between the anchors, and words that are not spoken have confidence 0", async () => {
    const { lines } = await align("sailed hippopotamus across the northern ", [2, 6]);
    const found = lines.flatMap((line) => line.words);
    let behind = words[1]?.endSeconds ?? 0;
    for (const { startSeconds, endSeconds } of found) {
      expect(startSeconds).toBeGreaterThanOrEqual(behind);
      expect(endSeconds).toBeGreaterThanOrEqual(startSeconds);
      behind = endSeconds;
    }
    expect(behind).toBeLessThanOrEqual((words[6]?.startSeconds ?? 0) + 1e-9);
    const confidenceOf = (text: string) => found.find((word) => word.text === text)?.confidence ?? 1;
    expect(confidenceOf("hippopotamus ")).toBeLessThan(confidenceOf("across "));
  });

  it("[Z7] a gap past the recording's end gets times with confidence 0", async () => {
    const { lines } = await engine.alignGap({
      inputPath: INPUT,
      workDir: join(folder, "gap"),
      ...{ text: "nothing here", startSeconds: 500, endSeconds: 502, before: [], after: [], language: "en" },
    });
    expect(lines).toEqual([
      {
        words: [
          { text: "nothing ", startSeconds: 500, endSeconds: 501, confidence: 0 },
          { text: "here", startSeconds: 501, endSeconds: 502, confidence: 0 },
        ],
      },
    ]);
  });

  it("[Z7] is cancelled by its signal, and the process serves the next request", async () => {
    const cancel = new AbortController();
    const running = align("sailed across the northern ", [2, 6], cancel.signal);
    cancel.abort();
    await expect(running).rejects.toMatchObject({ kind: "cancelled" });
    expect((await align("sailed across the northern ", [2, 6])).lines).toHaveLength(1);
  });
});
