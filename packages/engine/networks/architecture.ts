import { CheckpointError } from "../checkpoints/checkpoint-error.ts";
import type { NamedTensors, TensorFacts } from "../checkpoints/named-tensors.ts";
import type { StemManifest } from "../manifests/manifest.ts";
import type { SessionOptions } from "../runtime/create-session.ts";
import type { SoundGraphFile } from "./sound-graph.ts";
import type { LoadedNetwork } from "./stem-network.ts";

/** A family of separating networks, by the name that manifests give it. */
export interface StemFamily {
  /** `path` is that of the verified weights. */
  load(path: string, manifest: StemManifest, options: SessionOptions): Promise<LoadedNetwork>;
  /** The whole network as one graph; absent if GPUs can't run it. */
  toSoundGraph?(path: string, manifest: StemManifest): SoundGraphFile;
}

/** What a checkpoint holds besides the numbers. Wrappers and prefixes that all names share are gone. */
export type Checkpoint = {
  /** Without folders, e.g. `model_bs_roformer_ep_317_sdr_12.9755.ckpt`. */
  fileName: string;
  tensors: readonly TensorFacts[];
  /** The values of a small tensor, for what its shape does not say. */
  read: NamedTensors["read"];
  /** The configuration of Music-Source-Separation-Training as its YAML says it, if there is one. */
  msst?: Record<string, unknown>;
  demucs?: DemucsPackage;
  /** Several packages of Demucs whose stems are averaged: the tensors of each have its number before their names, `0.encoder…`. */
  bag?: { members: readonly DemucsPackage[]; weights?: readonly (readonly number[])[]; segment?: number };
  /** Of an ONNX file: what its graph takes and gives; an open size is 0. */
  graph?: Record<"inputs" | "outputs", readonly { name: string; shape: readonly number[] }[]>;
  /** The md5 of the file's last 10,240,000 bytes, by which Ultimate Vocal Remover knows it. */
  tailMd5?: string;
};

/** The class and its arguments that Demucs stores beside the weights. */
export type DemucsPackage = {
  className: string;
  args: readonly unknown[];
  options: Readonly<Record<string, unknown>>;
};

/** A checkpoint understood: the part of a manifest that an architecture knows, and how its tensors are stored. */
export type Recognised = Pick<
  StemManifest,
  | "family"
  | "configuration"
  | "sampleRateHz"
  | "channels"
  | "segmentFrames"
  | "chunking"
  | "levelling"
  | "stems"
> & {
  /** As people call it, e.g. "BS-RoFormer". */
  title: string;
  /** What neither weights nor configuration say, as sentences: they are printed. */
  assumptions: string[];
  /** The tensors that the network needs, under the names by which `load` reads them; none if the file itself is stored. */
  stored: readonly { name: string; from: string }[];
};

/** A family whose networks people add. Its folder has `recognise.ts`, a graph, and what runs it. */
export interface Architecture extends StemFamily {
  readonly title: string;
  /** Undefined if the tensors are of another architecture; throws `CheckpointRefused` for a variant of this one that can't run. */
  recognise(checkpoint: Checkpoint): Recognised | undefined;
}

/** A checkpoint that is none of a known architecture, or a variant that can't run: what was met, and what would help. */
export class CheckpointRefused extends CheckpointError {
  constructor(message: string) {
    super("unsupported", message);
  }
}
