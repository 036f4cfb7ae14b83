import { toResampledLength } from "../dsp/resampled-source.ts";
import type { StemManifest } from "../runtime/manifest.ts";
import type { InputRun } from "./input-run.ts";
import type { StemPass } from "./plan-targets.ts";

/** Of a run, what decides the samples of a pass. */
export type PassInput = Pick<InputRun, "networks" | "decoded" | "input">;

/** Where the spools of a pass lie below a work folder. */
export const toPassName = ({ manifest, startShare }: Pick<StemPass, "manifest" | "startShare">): string =>
  `${manifest.id}/${startShare === 0 ? "plain" : `from-${startShare}`}`;

/** All that decides the samples of a pass: the input, and the network with those whose stems it hears. */
export async function identifyPass(run: PassInput, pass: StemPass): Promise<Record<string, string | number>> {
  const { manifest, hears, startShare } = pass;
  const { runsOn } = await run.networks.getNetwork(manifest);
  return {
    model: manifest.id,
    weightsSha256: manifest.weights.sha256,
    segmentFrames: manifest.segmentFrames,
    overlapShare: manifest.overlapShare,
    startShare,
    runsOn,
    inputSha256: run.decoded.sha256,
    ...(hears && { hears: JSON.stringify({ ...(await identifyPass(run, hears.pass)), stem: hears.stem }) }),
  };
}

/** What a network that hears the input makes of it: as long, at its own rate. */
export function toNetworkShape(
  { input }: Pick<PassInput, "input">,
  { sampleRateHz }: StemManifest,
): { sampleRateHz: number; lengthFrames: number } {
  return { sampleRateHz, lengthFrames: toResampledLength(input, sampleRateHz) };
}

/** A pass that starts later cuts the input into other segments, about which the network errs differently. */
export function toStartFrame({ segmentFrames }: StemManifest, startShare: number): number {
  return Math.round(startShare * segmentFrames);
}
