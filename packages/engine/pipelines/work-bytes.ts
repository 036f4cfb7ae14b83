import { toResampledLength } from "../dsp/resampled-source.ts";
import { EngineError } from "../engine-error.ts";
import { isStemManifest, loadManifests, type Manifest, type SpeechNetwork } from "../runtime/manifest.ts";
import type { EngineTarget } from "./engine-request.ts";
import { toPcmBytes } from "./pcm-bytes.ts";
import { planTargets, type StemPass } from "./plan-targets.ts";

type Sound = { lengthFrames: number; sampleRateHz: number; channels: number };
type PassStems = Pick<StemPass, "manifest" | "stems">;

/** Size of the work folder: the decoded input, and a spool for each stem of each pass. */
function countWorkBytes(passes: readonly PassStems[], input: Sound): number {
  const spools = passes.map(({ manifest, stems }) => {
    const lengthFrames = toResampledLength(input, manifest.sampleRateHz);
    return stems.length * toPcmBytes({ lengthFrames, channels: input.channels });
  });
  return spools.reduce((sum, sizeBytes) => sum + sizeBytes, toPcmBytes(input));
}

export function checkWorkBytes(
  passes: readonly PassStems[],
  input: Sound,
  maxWorkBytes: number | undefined,
): void {
  const workBytes = countWorkBytes(passes, input);
  if (maxWorkBytes === undefined || workBytes <= maxWorkBytes) return;
  throw new EngineError(
    "input-too-large",
    `Processing the input needs ${workBytes} bytes of disk space; ${maxWorkBytes} are allowed. Send it in parts, or request fewer stems at once.`,
  );
}

/** An estimate from the file's header, before it is decoded. */
export function estimateTargetBytes(
  targets: readonly EngineTarget[],
  media: { durationSeconds: number; sampleRateHz: number; channels: number },
  manifests: readonly Manifest[],
): number {
  const { stemPasses, speechPass } = planTargets(targets, manifests);
  const passes: PassStems[] = [...stemPasses];
  // If the words turn out to be sung, one more stem is needed.
  const vocals = manifests
    .filter(isStemManifest)
    .find(({ serves }) => serves.some(({ model }) => model === "vocals"));
  if (speechPass && vocals) passes.push({ manifest: vocals, stems: ["vocals"] });
  return countWorkBytes(passes, {
    ...media,
    lengthFrames: Math.ceil(media.durationSeconds * media.sampleRateHz),
  });
}

/** The disk space the engine needs for these targets of an input. */
export const estimateWorkBytes = (
  targets: readonly EngineTarget[],
  media: Parameters<typeof estimateTargetBytes>[1],
  options: { speechNetwork?: SpeechNetwork } = {},
): number => estimateTargetBytes(targets, media, loadManifests(options));
