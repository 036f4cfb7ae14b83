import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { EngineError } from "../engine-error.ts";
import { MANIFESTS_FOLDER, type WeightsFile } from "../manifests/manifest.ts";
import { sha256OfFile } from "./sha256-of-file.ts";

/** The path of a manifest's weights on this machine; undefined if they are missing. */
export function findWeightsPath(weights: WeightsFile): string | undefined {
  const path =
    weights.package === undefined
      ? resolve(MANIFESTS_FOLDER, weights.file)
      : findInPackage(weights.package, weights.file);
  return path !== undefined && statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined;
}

/**
 * The path of the weights after verifying their sha256. Reading 174 MB at every start would take a second or more, so a verified file is remembered by
 * path, size and change time in `cacheDir`.
 */
export function getVerifiedWeightsPath(
  weights: WeightsFile,
  { manifestId, cacheDir }: { manifestId: string; cacheDir?: string },
): string {
  const path = findWeightsPath(weights);
  if (path === undefined) {
    const where =
      weights.package === undefined ? weights.file : `${weights.file} of the package ${weights.package}`;
    throw new EngineError("network-missing", `The weights of ${manifestId} are missing: ${where}.`);
  }
  const { size, mtimeMs } = statSync(path);
  if (size !== weights.sizeBytes) {
    throw new EngineError(
      "network-missing",
      `The weights of ${manifestId} have ${size} bytes, but the manifest names ${weights.sizeBytes}.`,
    );
  }
  const seal = `${path}\n${size}\n${mtimeMs}\n${weights.sha256}\n`;
  const sealPath = cacheDir === undefined ? undefined : join(cacheDir, `verified-${weights.sha256}`);
  if (sealPath !== undefined && findText(sealPath) === seal) return path;
  const sha256 = sha256OfFile(path);
  if (sha256 !== weights.sha256) {
    throw new EngineError(
      "network-missing",
      `The weights of ${manifestId} have the sha256 ${sha256}, but the manifest names ${weights.sha256}.`,
    );
  }
  if (sealPath !== undefined) replaceText(sealPath, seal);
  return path;
}

/** A package may export nothing, not even its package.json: search the folders that Node would. */
function findInPackage(packageName: string, file: string): string | undefined {
  if (isAbsolute(file)) return undefined;
  const folders = createRequire(import.meta.url).resolve.paths(packageName) ?? [];
  return folders
    .map((folder) => join(folder, packageName, file))
    .find((path) => statSync(path, { throwIfNoEntry: false })?.isFile());
}

function findText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Two processes may write at once: each writes its own file, and the rename is atomic. */
function replaceText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, path);
}
