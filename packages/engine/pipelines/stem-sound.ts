import type { FrameSource } from "../dsp/frame-source.ts";
import { MeanSource } from "../dsp/mean-source.ts";
import { toSampleRate } from "../dsp/resampled-source.ts";
import type { StemManifest } from "../runtime/manifest.ts";
import { toStartFrame } from "./pass-identity.ts";
import { openHeard, openStem, type SpoolPlace } from "./pass-spools.ts";
import { getServiceStem, type PlannedSound, type StemPass } from "./plan-targets.ts";
import { toServiceSource } from "./render-target.ts";

/** A target's audio, at the input's rate and length. */
export function openSound(
  place: SpoolPlace,
  { manifest, hears }: Pick<StemPass, "manifest" | "hears">,
  planned: PlannedSound,
): { source: FrameSource; passCount: number } & Disposable {
  const opened = new DisposableStack();
  const { info } = place.input;
  const heard = toSampleRate(openHeard(place, hears, opened), info);
  const { stem, passCount } = opened.use(openMeanStem(place, { manifest, planned }));
  return {
    source: toServiceSource(planned.service, toSampleRate(stem, info), heard),
    passCount,
    [Symbol.dispose]: () => opened.dispose(),
  };
}

/** A later pass that does not fill a segment has less context than the first one, and would make the result worse. */
export function hasPass(manifest: StemManifest, startShare: number, input: FrameSource): boolean {
  return (
    startShare === 0 || input.lengthFrames - toStartFrame(manifest, startShare) >= manifest.segmentFrames
  );
}

/** The mean of the stems of all passes that ran. */
function openMeanStem(
  place: SpoolPlace,
  { manifest, planned }: { manifest: StemManifest; planned: PlannedSound },
): { stem: FrameSource; passCount: number } & Disposable {
  const stem = getServiceStem(planned.service);
  const opened = new DisposableStack();
  const whole = opened.use(openStem(place, manifest, stem));
  const others = planned.startShares
    .filter((startShare) => startShare > 0 && hasPass(manifest, startShare, whole))
    .map((startShare) => ({
      source: opened.use(openStem(place, manifest, stem, startShare)),
      startFrame: toStartFrame(manifest, startShare),
    }));
  return {
    stem:
      others.length === 0 ? whole : new MeanSource(whole, { others, fadeFrames: manifest.segmentFrames / 8 }),
    passCount: 1 + others.length,
    [Symbol.dispose]: () => opened.dispose(),
  };
}
