import { join } from "node:path";
import type { FrameSource } from "../dsp/sources/frame-source.ts";
import { PcmFileSource } from "../files/pcm-file-source.ts";
import { readSpoolIdentity } from "../files/spool-folder.ts";
import type { StemManifest } from "../manifests/manifest.ts";
import type { StemNetworks } from "../networks/stem-network.ts";
import type { OpenInput } from "../targets/open-input.ts";
import type { ReadStem, StemPass } from "../targets/plan-targets.ts";
import { type PassSpools, spoolPath } from "./network-pass.ts";
import { identifyPass, toNetworkShape, toPassName, toStartFrame } from "./pass-identity.ts";

/** The input whose stems are spooled, and the folder they are spooled in. */
export type SpoolPlace = { input: OpenInput; workDir: string };

/** Everything that the description of a pass's spools depends on. */
export type SpoolFacts = SpoolPlace & { networks: StemNetworks; cache: PassSpools["cache"] };

/** The spools of a pass: their folder, and everything their samples depend on. */
export async function describeSpools(
  { input, workDir, networks, cache }: SpoolFacts,
  pass: StemPass,
): Promise<PassSpools> {
  const { manifest, startShare, stems } = pass;
  const { network } = await networks.getNetwork(manifest);
  const { lengthFrames } = toNetworkShape(input, manifest);
  return {
    network,
    chunking: manifest.chunking,
    levelling: manifest.levelling,
    input: {
      channels: input.info.channels,
      lengthFrames: lengthFrames - toStartFrame(manifest, startShare),
    },
    stems,
    folder: toStemFolder(workDir, manifest, startShare),
    identity: await identifyPass({ input, networks }, pass),
    cache,
  };
}

/** A network's input: the Task's input, or a stem of a finished pass. */
export function openReadStem(
  place: SpoolPlace,
  reads: ReadStem | undefined,
  opened: DisposableStack,
): FrameSource {
  return reads === undefined
    ? place.input.source
    : opened.use(openStem(place, reads.pass.manifest, reads.stem));
}

/** A stem of a finished pass, at the network's rate, from the frame at which the pass starts. */
export function openStem(
  { input, workDir }: SpoolPlace,
  manifest: StemManifest,
  stem: string,
  startShare = 0,
): PcmFileSource {
  const { sampleRateHz, lengthFrames } = toNetworkShape(input, manifest);
  return new PcmFileSource(spoolPath(toStemFolder(workDir, manifest, startShare), stem), {
    channels: input.info.channels,
    sampleRateHz,
    lengthFrames: lengthFrames - toStartFrame(manifest, startShare),
  });
}

/** What is read: the input itself, or a stem of it and everything that its samples depend on. */
export function identifySource(
  { workDir }: Pick<SpoolPlace, "workDir">,
  manifest: StemManifest | undefined,
  stem: string,
): string {
  if (manifest === undefined) return "input";
  const identity = readSpoolIdentity(toStemFolder(workDir, manifest, 0));
  if (identity === undefined) throw new Error(`${stem} was not made`);
  return `${stem} ${JSON.stringify(identity)}`;
}

function toStemFolder(workDir: string, manifest: StemManifest, startShare: number): string {
  return join(workDir, toPassName({ manifest, startShare }));
}
