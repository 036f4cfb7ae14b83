import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sha256OfFile } from "../runtime/sha256-of-file.ts";
import { listWeightsFiles, loadManifests, MANIFESTS_FOLDER, parseManifest } from "./manifest.ts";

const htdemucs = JSON.parse(readFileSync(join(MANIFESTS_FOLDER, "htdemucs.json"), "utf8"));

describe("the manifests", () => {
  it("are valid and serve each catalogue model once", () => {
    const served = loadManifests().flatMap((manifest) => manifest.serves.map(({ model }) => model));
    expect(served).toContain("vocals");
    expect(new Set(served).size).toBe(served.length);
  });

  it("name the weights in this repository", () => {
    const own = loadManifests()
      .flatMap(listWeightsFiles)
      .filter((file) => file.package === undefined);
    expect(own.length).toBeGreaterThan(0);
    for (const file of own)
      expect(sha256OfFile(join(MANIFESTS_FOLDER, file.file)), file.file).toBe(file.sha256);
  });

  it("name the licence of their weights", () => {
    for (const manifest of loadManifests()) expect(manifest.licence).not.toBe("");
  });

  it("may not serve a model from a stem the network does not have", () => {
    for (const stem of ["guitar", ["bass", "guitar"]]) {
      const serves = [{ model: "guitar", stem }];
      expect(() => parseManifest(JSON.stringify({ ...htdemucs, serves }))).toThrow("names some of `stems`");
    }
  });

  it("may not read a stem that no network has", () => {
    const folder = mkdtempSync(join(tmpdir(), "stemwright-manifests-"));
    const write = (manifest: object) =>
      writeFileSync(
        join(folder, "splitter.json"),
        JSON.stringify({ ...htdemucs, id: "splitter", ...manifest }),
      );
    writeFileSync(join(folder, "htdemucs.json"), JSON.stringify(htdemucs));
    write({ reads: { network: "htdemucs", stem: "other" } });
    expect(loadManifests({ folder })).toHaveLength(2);
    for (const reads of [
      { network: "htdemucs", stem: "piano" },
      { network: "nothing", stem: "other" },
    ]) {
      write({ reads });
      expect(() => loadManifests({ folder })).toThrow("which does not exist");
    }
    rmSync(folder, { recursive: true });
  });

  it("may not have unknown fields", () => {
    expect(() => parseManifest(JSON.stringify({ ...htdemucs, license: "MIT" }))).toThrow("license");
  });
});
