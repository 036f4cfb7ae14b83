import { release } from "../dsp/release.ts";
import { DifferenceSource, subtractPlanes } from "../dsp/sources/difference-source.ts";
import type { FrameSource } from "../dsp/sources/frame-source.ts";
import type { StemService } from "../manifests/manifest.ts";
import type { SoundTarget } from "../targets/engine-request.ts";
import { findLeadFrames } from "../targets/file-timeline.ts";
import { type RenderResult, type SoundsWork, writeSounds } from "./write-sounds.ts";

export type RenderWork = {
  target: SoundTarget;
  /** The target's audio and the input, both at the input's rate, channels and length. */
  stem: FrameSource;
  input: FrameSource;
} & Pick<SoundsWork, "info" | "inputPath" | "provenance" | "onProgress">;

/**
 * A service's audio from its stem and from the network's input, both already at the input's rate. The input minus the vocals is better than drums + bass
 * + other: 13.32 against 13.27 dB SDR on 30 s of a MUSDB test track, 11.21 against 11.13 dB on another; and it keeps what is above the network's band.
 */
export function toServiceSource(service: StemService, stem: FrameSource, source: FrameSource): FrameSource {
  return service.without === undefined ? stem : new DifferenceSource(source, stem);
}

/**
 * Writes all files of one target. The residual is the input minus the stem, in float at the input's own rate, so the two add up to the input, and the
 * residual has everything above the network's band.
 */
export async function renderTarget({ target, stem, input, ...work }: RenderWork): Promise<RenderResult> {
  const sounds = (["stem", "residual"] as const).flatMap((output) => {
    const files = target.files.filter((file) => file.output === output).map(({ output: _, ...file }) => file);
    return files.length > 0 ? [{ output, files }] : [];
  });
  return writeSounds({
    ...work,
    leadFrames: findLeadFrames(target, work.info),
    sounds,
    readBlock: (startFrame, lengthFrames) => {
      const planes = stem.read(startFrame, lengthFrames);
      return sounds.map(({ output }) => {
        if (output === "stem") return planes;
        const whole = input.read(startFrame, lengthFrames);
        const residual = subtractPlanes(whole, planes);
        release(whole);
        return residual;
      });
    },
  });
}
