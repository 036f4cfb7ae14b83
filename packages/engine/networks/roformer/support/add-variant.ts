import { statSync } from "node:fs";
import { join } from "node:path";
import { writeArrays } from "../../../checkpoints/support/write-arrays.ts";
import { isStemManifest, parseManifest, type StemManifest } from "../../../manifests/manifest.ts";
import { sha256OfFile } from "../../../runtime/sha256-of-file.ts";
import { recogniseCheckpoint } from "../../registry.ts";
import { readVariants, toCheckpoint } from "./reference-variants.ts";

/** Stores the weights of a variant in a folder and returns its manifest, as if somebody had added it; each stem serves a model of its name. */
export function addVariant(
  name: string,
  folder: string,
): { path: string; manifest: StemManifest; assumptions: string[] } {
  const variant = readVariants().get(name);
  if (variant === undefined) throw new Error(`there is no variant ${name}`);
  const { title, assumptions, stored, ...recognised } = recogniseCheckpoint(toCheckpoint(name, variant));
  const path = join(folder, `${name}.safetensors`);
  const shapes = new Map(variant.tensors.list().map((tensor) => [tensor.name, tensor.shape]));
  const arrays = stored.map((tensor) => ({
    name: tensor.name,
    shape: shapes.get(tensor.from) ?? [],
    dtype: variant.dtype,
  }));
  writeArrays(path, arrays, (tensor) => variant.tensors.read(tensor));
  const manifest = parseManifest(
    JSON.stringify({
      ...recognised,
      ...{ id: name, name: title, licence: "none", source: "a test", scores: [], passSeconds: 1 },
      weights: { file: path, sha256: sha256OfFile(path), sizeBytes: statSync(path).size },
      serves: [
        ...recognised.stems.map((stem) => ({ model: stem, stem })),
        ...(recognised.stems.length === 1 ? [{ model: "instrumental", without: recognised.stems[0] }] : []),
      ],
    }),
  );
  if (!isStemManifest(manifest)) throw new Error(`${name} does not separate stems`);
  return { path, manifest, assumptions };
}
