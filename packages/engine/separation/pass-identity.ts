import { toResampledLength } from "../dsp/resampling/resampled-source.ts";
import type { StemManifest } from "../manifests/manifest.ts";
import type { StemNetworks } from "../networks/stem-network.ts";
import type { OpenInput } from "../targets/open-input.ts";
import type { StemPass } from "../targets/plan-targets.ts";

/** The folder of a pass's spools in a work folder. */
export const toPassName = ({ manifest, startShare }: Pick<StemPass, "manifest" | "startShare">): string =>
  `${manifest.id}/${startShare === 0 ? "plain" : `from-${startShare}`}`;

/** Everything the samples of a pass depend on: the input, the network, and the networks whose stems it reads. */
export async function identifyPass(
  run: { input: Pick<OpenInput, "sha256">; networks: StemNetworks },
  pass: StemPass,
): Promise<Record<string, string | number>> {
  const { manifest, reads, startShare } = pass;
  const { runsOn } = await run.networks.getNetwork(manifest);
  return {
    model: manifest.id,
    weightsSha256: manifest.weights.sha256,
    configuration: JSON.stringify(manifest.configuration),
    segmentFrames: manifest.segmentFrames,
    chunking: JSON.stringify(manifest.chunking),
    ...(manifest.levelling && { levelling: manifest.levelling }),
    startShare,
    runsOn,
    inputSha256: run.input.sha256,
    ...(reads && { reads: JSON.stringify({ ...(await identifyPass(run, reads.pass)), stem: reads.stem }) }),
  };
}

/** Rate and length of the input after resampling for the network. */
export function toNetworkShape(
  { source }: Pick<OpenInput, "source">,
  { sampleRateHz }: StemManifest,
): { sampleRateHz: number; lengthFrames: number } {
  return { sampleRateHz, lengthFrames: toResampledLength(source, sampleRateHz) };
}

/** A pass that starts later splits the input into other segments, in which the network makes different errors. */
export function toStartFrame({ segmentFrames }: StemManifest, startShare: number): number {
  return Math.round(startShare * segmentFrames);
}
