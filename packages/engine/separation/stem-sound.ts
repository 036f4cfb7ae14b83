import { toSampleRate } from "../dsp/resampling/resampled-source.ts";
import type { FrameSource } from "../dsp/sources/frame-source.ts";
import { MeanSource } from "../dsp/sources/mean-source.ts";
import { SumSource } from "../dsp/sources/sum-source.ts";
import type { StemManifest } from "../manifests/manifest.ts";
import { toServiceSource } from "../rendering/render-target.ts";
import { getServiceStems, type PlannedSound, type StemPass } from "../targets/plan-targets.ts";
import { toStartFrame } from "./pass-identity.ts";
import { openReadStem, openStem, type SpoolPlace } from "./pass-spools.ts";

/** A target's audio, at the input's rate and length. */
export function openSound(
  place: SpoolPlace,
  { manifest, reads }: Pick<StemPass, "manifest" | "reads">,
  planned: PlannedSound,
): { source: FrameSource; passCount: number } & Disposable {
  const opened = new DisposableStack();
  const { info } = place.input;
  const read = toSampleRate(openReadStem(place, reads, opened), info);
  const means = getServiceStems(planned.service).map((stem) =>
    opened.use(openMeanStem(place, { manifest, stem, startShares: planned.startShares })),
  );
  const stems = means.map((mean) => toSampleRate(mean.source, info));
  return {
    source: toServiceSource(planned.service, new SumSource(stems), read),
    passCount: Math.max(...means.map(({ passCount }) => passCount)),
    [Symbol.dispose]: () => opened.dispose(),
  };
}

/** A later pass that does not fill a segment has less context than the first one, and would make the result worse. */
export function hasPass(manifest: StemManifest, startShare: number, input: FrameSource): boolean {
  return (
    startShare === 0 || input.lengthFrames - toStartFrame(manifest, startShare) >= manifest.segmentFrames
  );
}

/** The mean of a stem of all passes that ran. */
function openMeanStem(
  place: SpoolPlace,
  {
    manifest,
    stem,
    startShares,
  }: { manifest: StemManifest; stem: string } & Pick<PlannedSound, "startShares">,
): { source: FrameSource; passCount: number } & Disposable {
  const opened = new DisposableStack();
  const whole = opened.use(openStem(place, manifest, stem));
  const others = startShares
    .filter((startShare) => startShare > 0 && hasPass(manifest, startShare, whole))
    .map((startShare) => ({
      source: opened.use(openStem(place, manifest, stem, startShare)),
      startFrame: toStartFrame(manifest, startShare),
    }));
  return {
    source:
      others.length === 0 ? whole : new MeanSource(whole, { others, fadeFrames: manifest.segmentFrames / 8 }),
    passCount: 1 + others.length,
    [Symbol.dispose]: () => opened.dispose(),
  };
}
