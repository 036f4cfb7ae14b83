import type { MusicRegion } from "../../networks/music-detector/music-regions.ts";
import { isStemManifest, type Manifest, type StemManifest } from "../../runtime/manifest.ts";
import { DETECT_SECONDS, type DetectionRun, detectMusic } from "../detect-music.ts";
import { needStem, type StemPass } from "../plan-targets.ts";
import type { MakeStage } from "../stage-progress.ts";
import type { TargetOutcomes } from "../target-outcomes.ts";

const VOCALS = "vocals";
/** With less music than this, the input is transcribed: separating an hour because of a jingle would take an hour. */
const MUSIC_SHARE_MIN = 1 / 3;

export function weighSpeechSource(): number {
  return DETECT_SECONDS;
}

/**
 * What is transcribed. Singing is recognised better without instruments: if much of the input is music, the vocals are added to a pass
 * that runs anyway, or to a new one. Without a music detector the input itself is transcribed.
 */
export async function chooseSpeechSource(
  run: DetectionRun & { outcomes: TargetOutcomes; makeStage: MakeStage },
  manifests: readonly Manifest[],
  { stemPasses, onNewPass }: { stemPasses: StemPass[]; onNewPass: () => void },
): Promise<{ vocals?: StemManifest }> {
  const onProgress = run.makeStage(DETECT_SECONDS);
  const detector = manifests.find((manifest) => manifest.family === "music-detector");
  const separator = manifests.filter(isStemManifest).find(({ stems }) => stems.includes(VOCALS));
  if (detector === undefined || separator === undefined) return {};
  let regions: MusicRegion[] = [];
  await run.outcomes.tryNetwork([], async () => {
    regions = await detectMusic(detector, { ...run, onProgress });
  });
  const musicSeconds = regions.reduce(
    (sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds,
    0,
  );
  const { lengthFrames, sampleRateHz } = run.input.source;
  if (musicSeconds < (MUSIC_SHARE_MIN * lengthFrames) / sampleRateHz) return {};
  const passCount = stemPasses.length;
  needStem(stemPasses, { manifest: separator, stem: VOCALS, manifests });
  if (stemPasses.length > passCount) onNewPass();
  return { vocals: separator };
}
