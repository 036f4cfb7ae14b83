import { DETECT_SECONDS, type DetectionRun, detectMusic } from "../detection/detect-music.ts";
import { isStemManifest, type Manifest, type StemManifest } from "../manifests/manifest.ts";
import type { MusicRegion } from "../networks/music-detector/music-regions.ts";
import { needStem, type StemPass, type TargetPlan } from "../targets/plan-targets.ts";
import type { MakeStage } from "../targets/stage-progress.ts";
import type { TargetOutcomes } from "../targets/target-outcomes.ts";

/** With less music than this, the input itself is read: separating an hour because of a jingle would take an hour. */
const MIN_MUSIC_SHARE = 1 / 3;

/** Stems that are read instead of the input: `vocals` has singing and speech, `dialogue` speech alone. */
type SourceName = "vocals" | "dialogue";
export type ChosenSources = { readonly [Name in SourceName]?: StemManifest };
export type PassesOnSpeech = Pick<TargetPlan, "speechPass" | "voicesPass">;

/** The stems that a plan may read instead of the input, and the networks that make them. */
export function listReadStems(
  { speechPass, voicesPass }: PassesOnSpeech,
  manifests: readonly Manifest[],
): { stem: SourceName; manifest: StemManifest }[] {
  const wanted = [speechPass && ("vocals" as const), voicesPass && ("dialogue" as const)];
  return wanted.flatMap((stem) => {
    const manifest = manifests.filter(isStemManifest).find(({ stems }) => stem && stems.includes(stem));
    return stem && manifest ? [{ stem, manifest }] : [];
  });
}

export function weighSources(): number {
  return DETECT_SECONDS;
}

/**
 * What is transcribed, or separated into voices. Both are better without instruments: if much of the input is music, the wanted stems are added to
 * passes that run anyway, or to new ones. Without a music detector the input itself is read.
 */
export async function chooseSources(
  run: DetectionRun & { outcomes: TargetOutcomes; makeStage: MakeStage },
  manifests: readonly Manifest[],
  plan: PassesOnSpeech & { stemPasses: StemPass[]; onNewPass: () => void },
): Promise<ChosenSources> {
  const onProgress = run.makeStage(DETECT_SECONDS);
  const detector = manifests.find((manifest) => manifest.family === "music-detector");
  const stems = listReadStems(plan, manifests);
  if (detector === undefined || stems.length === 0) return {};
  let regions: MusicRegion[] = [];
  await run.outcomes.tryNetwork([], async () => {
    regions = await detectMusic(detector, { ...run, onProgress });
  });
  const musicSeconds = regions.reduce(
    (sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds,
    0,
  );
  const { lengthFrames, sampleRateHz } = run.input.source;
  if (musicSeconds < (MIN_MUSIC_SHARE * lengthFrames) / sampleRateHz) return {};
  const passCount = plan.stemPasses.length;
  for (const { stem, manifest } of stems) needStem(plan.stemPasses, { manifest, stem, manifests });
  if (plan.stemPasses.length > passCount) plan.onNewPass();
  return Object.fromEntries(stems.map(({ stem, manifest }) => [stem, manifest]));
}
