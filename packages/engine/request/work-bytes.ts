import { toResampledLength } from "../dsp/resampling/resampled-source.ts";
import { EngineError } from "../engine-error.ts";
import { toPcmBytes } from "../files/pcm-bytes.ts";
import { loadManifests, type Manifest, type ManifestOptions } from "../manifests/manifest.ts";
import { VOICE_WINDOW_FRAMES, VOICE_RATE_HZ as VOICES_RATE_HZ } from "../networks/voices/voice-separator.ts";
import type { EngineTarget } from "../targets/engine-request.ts";
import { needStem, planTargets, type TargetPlan, type VoicesPass } from "../targets/plan-targets.ts";
import { getVariant } from "../voices/voices-variant.ts";
import { listReadStems } from "./choose-sources.ts";

type Sound = { lengthFrames: number; sampleRateHz: number; channels: number };
type Passes = Pick<TargetPlan, "stemPasses" | "voicesPass">;

/** Windows of the voices cover a recording up to 2.7 times, and a few are tested before. */
const MAX_VOICES_LENGTHS = 3;

/** Size of the work folder: the decoded input, a spool for each stem of each pass, and the separated windows of the voices. */
function countWorkBytes({ stemPasses, voicesPass }: Passes, input: Sound): number {
  const spools = stemPasses.map(({ manifest, stems }) => {
    const lengthFrames = toResampledLength(input, manifest.sampleRateHz);
    return stems.length * toPcmBytes({ lengthFrames, channels: input.channels });
  });
  const voices = voicesPass === undefined ? 0 : countVoicesBytes(voicesPass, input);
  return spools.reduce((sum, sizeBytes) => sum + sizeBytes, toPcmBytes(input) + voices);
}

/** Two voices with all channels, for each variant. */
function countVoicesBytes({ targets }: VoicesPass, input: Sound): number {
  const lengthFrames = MAX_VOICES_LENGTHS * toResampledLength(input, VOICES_RATE_HZ) + VOICE_WINDOW_FRAMES;
  return new Set(targets.map(getVariant)).size * toPcmBytes({ lengthFrames, channels: 2 * input.channels });
}

export function checkWorkBytes(passes: Passes, input: Sound, maxWorkBytes: number | undefined): void {
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
  const plan = planTargets(targets, manifests);
  // What is read may turn out to have music behind it.
  for (const stem of listReadStems(plan, manifests)) needStem(plan.stemPasses, { ...stem, manifests });
  return countWorkBytes(plan, {
    ...media,
    lengthFrames: Math.ceil(media.durationSeconds * media.sampleRateHz),
  });
}

/** The disk space the engine needs for these targets of an input. */
export const estimateWorkBytes = (
  targets: readonly EngineTarget[],
  media: Parameters<typeof estimateTargetBytes>[1],
  options: ManifestOptions = {},
): number => estimateTargetBytes(targets, media, loadManifests(options));
