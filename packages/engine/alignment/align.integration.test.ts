import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { EngineError } from "../engine-error.ts";
import { loadManifests } from "../manifests/manifest.ts";
import { NetworkStore } from "../networks/network-store.ts";
import { runRequest } from "../request/run-request.ts";

type Word = { start: number; end: number; text: string; confidence: number };

const TEXT = "SEVEN ships sailed …\nacross the northern sea;\n\nthe Captain counted — every wave";
const UNSAID = "Seven ships sailed across the northern sea. Hippopotamus! The captain counted every wave.";
const OTHER = "Four score and twenty blackbirds were baked into somebody's enormous cherry pie.";

const folder = mkdtempSync(join(tmpdir(), "stemwright-align-"));
const networks = new NetworkStore({ threads: 2, cacheDir: join(folder, "cache") });
const manifests = loadManifests({ speechNetwork: "whisper-tiny" });
const failures = new Map<string, EngineError>();
let encodings = 0;

const pathOf = (key: string) => join(folder, `${key}.json`);
const wordsOf = (key: string) => {
  const { lines } = JSON.parse(readFileSync(pathOf(key), "utf8")) as { lines: { words: Word[] }[] };
  return lines.flatMap((line) => line.words);
};

function makeTarget(key: string, model: string, transcript?: string) {
  const transcriptPath = join(folder, `${key}.transcript`);
  if (transcript !== undefined) writeFileSync(transcriptPath, transcript);
  return {
    kind: "text" as const,
    key,
    model,
    ...(transcript === undefined ? {} : { transcriptPath }),
    files: [{ format: "json" as const, path: pathOf(key) }],
  };
}

beforeAll(async () => {
  const whisper = await networks.getWhisper(
    manifests.find((manifest) => manifest.family === "whisper") as Parameters<typeof networks.getWhisper>[0],
  );
  const encode = vi.spyOn(whisper, "encode");
  await runRequest(
    {
      inputPath: join(import.meta.dirname, "../transcription/support/english.opus"),
      workDir: join(folder, "work"),
      targets: [
        makeTarget("written", "transcription"),
        makeTarget("recognised", "alignment"),
        makeTarget("given", "alignment", TEXT),
        makeTarget("json", "alignment", JSON.stringify({ text: TEXT })),
      ],
    },
    { networks, manifests, report: { onTargetFailed: (_, error) => Promise.reject(error) } },
  );
  encodings = encode.mock.calls.length;
  await runRequest(
    {
      inputPath: join(import.meta.dirname, "../transcription/support/english.opus"),
      workDir: join(folder, "work"),
      targets: [
        makeTarget("unsaid", "alignment", UNSAID),
        makeTarget("other", "alignment", OTHER),
        makeTarget("empty", "alignment", " \n"),
      ],
    },
    {
      networks,
      manifests,
      report: {
        onTargetFailed: (key, error) => {
          failures.set(key, error);
        },
      },
    },
  );
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("alignment", () => {
  it("[Z1] returns the given text, with each word where the transcription found it", () => {
    expect(
      wordsOf("given")
        .map((word) => word.text)
        .join(""),
    ).toBe(TEXT);
    const spoken = wordsOf("given").filter((word) => /\p{L}/u.test(word.text));
    expect(spoken).toHaveLength(12);
    spoken.forEach((word, n) => {
      const recognised = wordsOf("written").slice(-12)[n];
      expect(Math.abs(word.start - (recognised?.start ?? Number.NaN)), word.text).toBeLessThan(0.15);
    });
    expect(wordsOf("json")).toEqual(wordsOf("given"));
  });

  it("[Z6] without a transcript it uses the recognised text, and all targets share one transcription", () => {
    expect(wordsOf("recognised")).toEqual(wordsOf("written"));
    // One for the transcription; at most one more for each given text, where it differs.
    expect(encodings).toBeLessThanOrEqual(3);
  });

  it("[Z4] places a word that is not spoken between its neighbours, with low confidence", () => {
    const words = wordsOf("unsaid");
    const index = words.findIndex((word) => word.text.startsWith("Hippo"));
    expect(words[index]?.confidence).toBeLessThan(0.5);
    expect(words[index]?.start).toBeGreaterThanOrEqual(words[index - 1]?.end ?? 0);
    expect(words[index]?.end).toBeLessThanOrEqual(words[index + 1]?.start ?? 0);
    expect(words.at(-1)?.confidence).toBeGreaterThan(0.5);
  });

  it("[Z5] refuses the text of another recording and an empty one, independently", () => {
    expect([...failures].map(([key, error]) => [key, error.kind])).toEqual([
      ["other", "transcript-unusable"],
      ["empty", "transcript-unusable"],
    ]);
    expect(failures.get("other")?.message).toContain("does not fit the audio");
  });
});
