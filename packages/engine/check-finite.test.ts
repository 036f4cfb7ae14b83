import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { checkFinite } from "./check-finite.ts";
import { detectMusic } from "./detection/detect-music.ts";
import { ArraySource } from "./dsp/sources/array-source.ts";
import { loadManifests, type MusicManifest } from "./manifests/manifest.ts";
import { GainNetwork } from "./support/gain-network.ts";
import { writeText } from "./text/write-text.ts";

const MESSAGE = "The network returned values that are not finite numbers.";

it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])("[O30] refuses %s", (value) => {
  const plane = Float32Array.from({ length: 1000 }, (_, n) => (n % 2 === 0 ? 3e38 : -3e38));
  checkFinite([plane, new Float32Array(0)]);
  plane[998] = value;
  expect(() => checkFinite([plane])).toThrow(MESSAGE);
});

it("[O30] refuses words whose times or confidences are no numbers", () => {
  const word = { text: "a", startSeconds: 0, endSeconds: 1, confidence: 1 };
  const write = (change: Partial<typeof word>) => {
    const metadata = { language: "en", languageConfidence: 1, model: "m" };
    return writeText({ lines: [{ words: [{ ...word, ...change }] }], durationSeconds: 1, metadata }, "json");
  };
  expect(write({})).toContain('"confidence":1');
  for (const field of ["startSeconds", "endSeconds", "confidence"] as const)
    expect(() => write({ [field]: Number.NaN })).toThrow(MESSAGE);
});

it("[O30] refuses probabilities of music that are no numbers, and does not keep them", async () => {
  const manifest = loadManifests().find(({ family }) => family === "music-detector");
  if (manifest === undefined) throw new Error("no manifest detects music");
  const workDir = mkdtempSync(join(tmpdir(), "stemwright-finite-"));
  onTestFinished(() => rmSync(workDir, { recursive: true, force: true }));
  const source = new ArraySource([new Float32Array(48_000)], 48_000);
  const networks = Object.assign(new GainNetwork(4000), {
    getMusicDetector: async () => ({ infer: async () => new Float32Array(3).fill(Number.NaN) }),
  });
  const run = { input: { source, sha256: "0" }, workDir, networks, onProgress: () => {} };
  const detect = () => detectMusic(manifest as MusicManifest, run as never);
  await expect(detect()).rejects.toThrow(MESSAGE);
  await expect(detect()).rejects.toThrow(MESSAGE);
});
