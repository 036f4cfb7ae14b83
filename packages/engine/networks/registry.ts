import {
  type GpuManifest,
  isStemManifest,
  type Manifest,
  type StemFamilyName,
  type StemManifest,
} from "../manifests/manifest.ts";
import type { Architecture, Checkpoint, Recognised, StemFamily } from "./architecture.ts";
import { CheckpointRefused } from "./architecture.ts";
import { BandSplit } from "./band-split/band-split.ts";
import { Demucs } from "./demucs/demucs.ts";
import { MdxNet } from "./mdx-net/mdx-net.ts";
import { Mdx23c } from "./mdx23c/mdx23c.ts";
import { BS_ROFORMER, MEL_BAND_ROFORMER } from "./roformer/roformer.ts";
import { Scnet } from "./scnet/scnet.ts";
import { SpeechCleaner } from "./speech-cleaner/speech-cleaner.ts";

/** Each family's code: adding one is a folder, its name in `STEM_FAMILIES`, and a line here. */
const FAMILIES: Record<StemFamilyName, StemFamily | Architecture> = {
  demucs: Demucs,
  mdx23c: Mdx23c,
  scnet: Scnet,
  "mdx-net": MdxNet,
  "bs-roformer": BS_ROFORMER,
  "mel-band-roformer": MEL_BAND_ROFORMER,
  "band-split": BandSplit,
  "speech-cleaner": SpeechCleaner,
};

/** The families whose networks people add. */
const ARCHITECTURES = Object.values(FAMILIES).filter((family) => "recognise" in family);

/** Names of tensors in the error for an unknown architecture. */
const MAX_NAMES = 8;

export const getStemFamily = ({ family }: Pick<StemManifest, "family">): StemFamily => FAMILIES[family];

/** Whether GPUs can run the network as one graph. */
export function isGpuManifest(manifest: Manifest): manifest is GpuManifest {
  if (manifest.family === "whisper") return true;
  return isStemManifest(manifest) && getStemFamily(manifest).toSoundGraph !== undefined;
}

/** What a checkpoint is; throws `CheckpointRefused` if no architecture knows it, or if it is a variant that can't run. */
export function recogniseCheckpoint(checkpoint: Checkpoint): Recognised {
  for (const architecture of ARCHITECTURES) {
    const recognised = architecture.recognise(checkpoint);
    if (recognised) return recognised;
  }
  const known = ARCHITECTURES.map(({ title }) => title);
  const names = checkpoint.tensors.map(({ name }) => name);
  const shown = names.slice(0, MAX_NAMES).join(", ") + (names.length > MAX_NAMES ? ", …" : "");
  throw new CheckpointRefused(
    `${checkpoint.fileName} is of an unknown architecture. Known are ${known.join(", ")}. Its tensors: ${shown || "none"}.`,
  );
}
