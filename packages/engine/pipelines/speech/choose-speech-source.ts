import type { MusicRegion } from "../../networks/music-detector/music-regions.ts";
import { isStemManifest, type Manifest, type StemManifest } from "../../runtime/manifest.ts";
import { detectMusic } from "../detect-music.ts";
import { type InputRun, tryNetwork } from "../input-run.ts";
import { needStem, type StemPass } from "../plan-targets.ts";

const VOCALS = "vocals";
/** Below this share of music the words are read from the input: taking an hour apart for a jingle would take an hour. */
const MUSIC_SHARE_MIN = 1 / 3;
/** A second of the input in seconds of the machine, as measured; for the progress only. */
const LISTEN_SECONDS = 0.01;

export function weighSpeechSource(): number {
  return LISTEN_SECONDS;
}

/**
 * Where the words are read from. Singing is understood better without the instruments: where much of the input is music, its vocals
 * join the stems that are made anyway, or become a pass of their own. Where nothing can listen for music, they are read from the input.
 */
export async function chooseSpeechSource(
  run: InputRun,
  manifests: readonly Manifest[],
  { stemPasses, onNewPass }: { stemPasses: StemPass[]; onNewPass: () => void },
): Promise<{ vocals?: StemManifest }> {
  const onProgress = run.progress.makeStage(LISTEN_SECONDS, run.waits.forSpeechSource);
  const detector = manifests.find((manifest) => manifest.family === "music-detector");
  const separator = manifests.filter(isStemManifest).find(({ stems }) => stems.includes(VOCALS));
  if (detector === undefined || separator === undefined) return {};
  let regions: MusicRegion[] = [];
  await tryNetwork(run, [], async () => {
    regions = await detectMusic(run, detector, onProgress);
  });
  const musicSeconds = regions.reduce(
    (sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds,
    0,
  );
  if (musicSeconds < (MUSIC_SHARE_MIN * run.input.lengthFrames) / run.input.sampleRateHz) return {};
  const passCount = stemPasses.length;
  needStem(stemPasses, { manifest: separator, stem: VOCALS, manifests });
  if (stemPasses.length > passCount) onNewPass();
  return { vocals: separator };
}
