import { release } from "../dsp/release.ts";
import { subtractPlanes } from "../dsp/sources/difference-source.ts";
import type { PreviewWriter } from "../previews/preview-writer.ts";
import type { PlannedSound, StemPass } from "../targets/plan-targets.ts";
import { toNetworkShape, toStartFrame } from "./pass-identity.ts";
import type { SpoolPlace } from "./pass-spools.ts";
import { openSound } from "./stem-sound.ts";
import type { WriteProgress } from "./write-progress.ts";

/** Upper bound of the network's frames that resampling needs for one frame of the input, at the lower rate. */
const LOOK_AHEAD_FRAMES = 256;

/** Writes previews of a target while the last of its passes spools; the passes it is averaged with ran before. */
export function previewStem(
  previews: Pick<PreviewWriter, "follow">,
  place: SpoolPlace,
  { pass, planned, own }: { pass: StemPass; planned: PlannedSound; own: WriteProgress },
): void {
  const { source } = place.input;
  const { key, files } = planned.target;
  const outputs = new Set(files.map(({ output }) => output));
  const shape = toNetworkShape(place.input, pass.manifest);
  const framesPerFrame = shape.sampleRateHz / source.sampleRateHz;
  const aheadFrames = framesPerFrame === 1 ? 0 : LOOK_AHEAD_FRAMES * Math.max(1, framesPerFrame);
  const startFrame = toStartFrame(pass.manifest, pass.startShare);
  previews.follow(key, {
    tracks: [...outputs].map((output) => (output === "stem" ? key : `${key}-residual`)),
    whenReadable(endFrame) {
      const needed = Math.min(shape.lengthFrames, Math.ceil(endFrame * framesPerFrame + aheadFrames));
      return own.reached(endFrame === 0 ? 0 : Math.max(0, needed - startFrame));
    },
    open() {
      const sound = openSound(place, pass, planned);
      return {
        read(start, length) {
          const planes = sound.source.read(start, length);
          if (!outputs.has("residual")) return [planes];
          const whole = source.read(start, length);
          const residual = subtractPlanes(whole, planes);
          release(whole);
          return [...outputs].map((output) => (output === "stem" ? planes : residual));
        },
        [Symbol.dispose]: () => sound[Symbol.dispose](),
      };
    },
  });
}
