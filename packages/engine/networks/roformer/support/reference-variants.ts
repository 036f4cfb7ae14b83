import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import type { NamedTensors, TensorFacts } from "../../../checkpoints/named-tensors.ts";
import type { Checkpoint } from "../../architecture.ts";
import { hashNoise } from "./reference-song.ts";

const FOLDER = join(import.meta.dirname, "references");

const variantsSchema = z.record(
  z.string(),
  z.object({
    config: z.record(z.string(), z.unknown()),
    stems: z.array(z.string()),
    tensors: z.record(z.string(), z.array(z.number())),
    dtype: z.enum(["F32", "F16"]),
  }),
);

export type ReferenceVariant = {
  msst: Record<string, unknown>;
  stems: string[];
  dtype: "F32" | "F16";
  tensors: NamedTensors;
};

/** What training/roformer_references.py wrote: the configurations and the tensors' names and shapes, with their numbers made again. */
export function readVariants(): Map<string, ReferenceVariant> {
  const text = gunzipSync(readFileSync(join(FOLDER, "variants.json.gz"))).toString();
  const variants = variantsSchema.parse(JSON.parse(text));
  return new Map(
    Object.entries(variants).map(([name, { config, stems, tensors, dtype }]) => [
      name,
      { msst: config, stems, dtype, tensors: makeTensors(tensors, dtype) },
    ]),
  );
}

/** Every 127th frame of each channel of each stem, as the original code makes them. */
export function readReference(name: string, folder = FOLDER): Float32Array {
  return new Float32Array(new Uint8Array(readFileSync(join(folder, `${name}.f32`))).buffer);
}

export const toCheckpoint = (name: string, { msst, tensors }: ReferenceVariant): Checkpoint => ({
  fileName: `${name}.ckpt`,
  tensors: tensors.list(),
  read: (tensor) => tensors.read(tensor),
  msst,
});

function makeTensors(shapes: Record<string, number[]>, dtype: string): NamedTensors {
  const facts: TensorFacts[] = Object.entries(shapes).map(([name, shape]) => ({ name, shape, dtype }));
  const shapeOf = (name: string) => shapes[name] ?? [];
  return {
    list: () => facts,
    read(name) {
      const values = makeTensor(name, shapeOf(name));
      return dtype === "F16" ? Float32Array.from(Float16Array.from(values)) : values;
    },
  };
}

/** As `weight` and `fill` in the script. */
function makeTensor(name: string, shape: readonly number[]): Float32Array {
  const count = shape.reduce((product, size) => product * size, 1);
  if (name.endsWith("rotary_embed.freqs"))
    return Float32Array.from({ length: count }, (_, pair) => 10_000 ** (-pair / count));
  const wave = { cos: Math.cos, sin: Math.sin }[name.slice(0, 3)];
  const [, width = 1] = shape;
  if (name.includes("_emb_") && wave)
    return Float32Array.from({ length: count }, (_, at) =>
      wave(Math.floor(at / width) * 10_000 ** ((-2 * ((at % width) >> 1)) / width)),
    );
  const noise = hashNoise(name, count);
  if (name.endsWith("gamma") || name.endsWith("temperature"))
    return noise.map((value) => Math.fround(1 + Math.fround(Math.fround(0.3) * value)));
  const scale = Math.fround(shape.length < 2 ? 0.2 : 1.7 / Math.sqrt(shape.at(-1) ?? 1));
  return noise.map((value) => value * scale);
}
