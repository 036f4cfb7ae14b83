import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadManifests, MANIFESTS_FOLDER, parseManifest } from "./model-manifest.ts";

const htdemucs = JSON.parse(readFileSync(join(MANIFESTS_FOLDER, "htdemucs.json"), "utf8"));

describe("the manifests", () => {
  it("are all valid and serve each catalogue model once", () => {
    const served = loadManifests().flatMap((manifest) => manifest.serves.map(({ model }) => model));
    expect(served).toContain("vocals");
    expect(new Set(served).size).toBe(served.length);
  });

  it("name the licence of their weights", () => {
    for (const manifest of loadManifests()) expect(manifest.licence).not.toBe("");
  });

  it("may not serve a model from a stem the network has not got", () => {
    const serves = [{ model: "guitar", stem: "guitar" }];
    expect(() => parseManifest(JSON.stringify({ ...htdemucs, serves }))).toThrow("names one of `stems`");
  });

  it("may not hold fields nobody reads", () => {
    expect(() => parseManifest(JSON.stringify({ ...htdemucs, license: "MIT" }))).toThrow("license");
  });
});
