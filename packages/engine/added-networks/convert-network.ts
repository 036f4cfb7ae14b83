import { createHash } from "node:crypto";
import {
  closeSync,
  copyFileSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { makeFileSource } from "../checkpoints/byte-source.ts";
import type { CheckpointFacts } from "../checkpoints/checkpoint-request.ts";
import { convertCheckpoint } from "../checkpoints/convert-checkpoint.ts";
import { type FileTensor, readTensor } from "../checkpoints/file-tensor.ts";
import { listSafetensors } from "../checkpoints/list-safetensors.ts";
import type { Bag } from "../checkpoints/read-configuration.ts";
import { writeSafetensors } from "../checkpoints/write-safetensors.ts";
import { MANIFEST_FILE, parseManifest, type StemManifest, type StemService } from "../manifests/manifest.ts";
import { type Checkpoint, CheckpointRefused, type Recognised } from "../networks/architecture.ts";
import { recogniseCheckpoint } from "../networks/registry.ts";
import { sha256OfFile } from "../runtime/sha256-of-file.ts";
import { listStemServices, overruleServices } from "./stem-services.ts";

/** A checkpoint, and what its manifest says that neither weights nor configuration tell. */
export type NetworkSource = {
  /** One, or the members of a bag in their order. */
  paths: readonly string[];
  bag?: Bag | undefined;
  /** Without folders. */
  fileName: string;
  /** Of Music-Source-Separation-Training. */
  configuration?: Record<string, unknown> | undefined;
  /** The file's path or address. */
  source: string;
  id: string;
  name?: string | undefined;
  licence?: string | undefined;
  licenceRecord?: StemManifest["licenceRecord"];
  /** Overrule what stems serve by their names. */
  serves?: readonly StemService[];
};

export type ConvertedNetwork = {
  manifest: StemManifest;
  title: string;
  /** What neither weights nor configuration said. */
  assumptions: readonly string[];
  parameterCount: number;
};

type Hooks = { onProgress?: (fraction: number) => void; signal?: AbortSignal | undefined };

/** UVR knows its files by the md5 of their last bytes. */
const TAIL_BYTES = 10_240_000;
const MAX_STEMS = 128;
/** Until it is measured: for the progress only. */
const UNMEASURED_PASS_SECONDS = 1;
const UNKNOWN_LICENCE = "Not stated";
/** Reading takes a little longer than writing what is kept of it. */
const READING_SHARE = 0.6;

/**
 * Writes a network's weights and manifest into a folder. The same checkpoint, configuration and options give the same bytes. Files are read in a
 * sandboxed process; this one reads what that wrote, in which nothing but numbers is left.
 */
export async function convertNetwork(
  source: NetworkSource,
  folder: string,
  { onProgress, signal }: Hooks = {},
): Promise<ConvertedNetwork> {
  const { paths } = source;
  const parts = paths.map((_, index) => join(folder, `.part-${index}`));
  const facts: CheckpointFacts[] = [];
  for (const [index, path] of paths.entries()) {
    const report = (fraction: number) => onProgress?.((READING_SHARE * (index + fraction)) / paths.length);
    facts.push(await convertCheckpoint(path, parts[index] ?? "", { onProgress: report, signal }));
  }
  using files = new DisposableStack();
  const tensors = parts.flatMap((part, index) => {
    const file = files.adopt(openSync(part, "r"), closeSync);
    const own = listSafetensors(makeFileSource(file));
    return source.bag ? own.map((tensor) => ({ ...tensor, name: `${index}.${tensor.name}` })) : own;
  });
  const recognised = recogniseCheckpoint(toCheckpoint(source, facts, tensors));
  const weights = writeWeights(recognised, { tensors, folder, original: paths[0] ?? "", onProgress });
  for (const part of parts) rmSync(part);
  const manifest = toManifest(source, recognised, weights);
  writeFileSync(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
  onProgress?.(1);
  return {
    manifest,
    title: recognised.title,
    assumptions: recognised.assumptions,
    parameterCount: tensors.reduce(
      (sum, { shape }) => sum + shape.reduce((product, size) => product * size, 1),
      0,
    ),
  };
}

function toCheckpoint(
  { paths, bag, fileName, configuration }: NetworkSource,
  facts: readonly CheckpointFacts[],
  tensors: readonly FileTensor[],
): Checkpoint {
  const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const packages = facts.map(({ packaged }) => ({
    className: packaged?.klass ?? "",
    args: packaged?.args ?? [],
    options: packaged?.kwargs ?? {},
  }));
  const [first] = facts;
  return {
    fileName,
    tensors: tensors.map(({ name, shape, dtype }) => ({ name, shape, dtype })),
    read(name) {
      const tensor = byName.get(name);
      if (tensor === undefined) throw new RangeError(`the checkpoint has no tensor ${name}`);
      return readTensor(tensor);
    },
    ...(configuration && { msst: configuration }),
    ...(first?.packaged && !bag && packages[0] ? { demucs: packages[0] } : {}),
    ...(bag && {
      bag: {
        members: packages,
        ...(bag.weights && { weights: bag.weights }),
        ...(bag.segmentSeconds === undefined ? {} : { segment: bag.segmentSeconds }),
      },
    }),
    ...(first?.graph && { graph: first.graph, tailMd5: md5OfTail(paths[0] ?? "") }),
  };
}

function md5OfTail(path: string): string {
  const { size } = statSync(path);
  const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
  const file = openSync(path, "r");
  try {
    readSync(file, bytes, 0, bytes.length, size - bytes.length);
  } finally {
    closeSync(file);
  }
  return createHash("md5").update(bytes).digest("hex");
}

function writeWeights(
  { stored }: Recognised,
  {
    tensors,
    folder,
    original,
    onProgress,
  }: { tensors: readonly FileTensor[]; folder: string; original: string; onProgress: Hooks["onProgress"] },
): StemManifest["weights"] {
  const file = stored.length === 0 ? "weights.onnx" : "weights.safetensors";
  const path = join(folder, file);
  if (stored.length === 0) copyFileSync(original, path);
  else {
    const byName = new Map(tensors.map((tensor) => [tensor.name, tensor]));
    const kept = stored.map(({ name, from }) => {
      const tensor = byName.get(from);
      if (tensor === undefined) throw new CheckpointRefused(`The checkpoint lacks the weights ${from}.`);
      return { ...tensor, name };
    });
    const total = tensors.reduce((sum, { storage }) => sum + storage.sizeBytes, 1);
    const output = openSync(path, "wx");
    let written = 0;
    try {
      writeSafetensors(kept, (bytes) => {
        for (let done = 0; done < bytes.length; ) done += writeSync(output, bytes, done);
        written += bytes.length;
        onProgress?.(READING_SHARE + (1 - READING_SHARE) * Math.min(1, written / total));
      });
    } finally {
      closeSync(output);
    }
  }
  return { file, sha256: sha256OfFile(path), sizeBytes: statSync(path).size };
}

function toManifest(
  { id, name, licence, licenceRecord, source, serves = [], fileName }: NetworkSource,
  { title, assumptions: _, stored: _stored, ...facts }: Recognised,
  weights: StemManifest["weights"],
): StemManifest {
  const stems = toStemNames(facts.stems);
  const manifest = {
    id,
    name: name ?? `${title}: ${fileName}`,
    licence: licence ?? UNKNOWN_LICENCE,
    licenceRecord: licenceRecord ?? { commercialUse: "unclear", statements: [] },
    source,
    weights,
    ...facts,
    passSeconds: UNMEASURED_PASS_SECONDS,
    stems,
    serves: overruleServices(listStemServices(stems, fileName), serves),
    scores: [],
  };
  for (const { stem = [], without = [], model } of serves)
    for (const named of [...stem, ...without])
      if (!stems.includes(named))
        throw new CheckpointRefused(
          `The network has no stem ${named} that could serve ${model}: it has ${stems.join(", ")}.`,
        );
  return parseManifest(JSON.stringify(manifest)) as StemManifest;
}

/** Stems name files and models: in lower case, without anything that has a meaning in a path. */
export function toStemNames(stems: readonly string[]): string[] {
  if (stems.length > MAX_STEMS)
    throw new CheckpointRefused(`The network has ${stems.length} stems; up to ${MAX_STEMS} can be used.`);
  const names = stems.map((stem) =>
    stem
      .toLowerCase()
      .normalize("NFKD")
      .replace(/[^a-z0-9]+/g, "_")
      .replace(/^_+|_+$/g, "")
      .slice(0, 40),
  );
  const faulty = names.findIndex((name, index) => name === "" || names.indexOf(name) !== index);
  if (faulty >= 0)
    throw new CheckpointRefused(
      `The network's stems are ambiguous: ${JSON.stringify(stems[faulty]?.slice(0, 40))} has no unique name. Name them in the configuration (training.instruments).`,
    );
  return names;
}
