import { release } from "../dsp/release.ts";
import { ResampledSource } from "../dsp/resampling/resampled-source.ts";
import { DifferenceSource } from "../dsp/sources/difference-source.ts";
import type { FrameSource } from "../dsp/sources/frame-source.ts";

type Shape = Pick<FrameSource, "sampleRateHz" | "lengthFrames">;

/** Stereo at the rate and length of the file, as the format requires. */
export function toStereo(source: FrameSource, { sampleRateHz, lengthFrames }: Shape): FrameSource {
  const resampled =
    source.sampleRateHz === sampleRateHz
      ? source
      : new ResampledSource(source, { sampleRateHz, lengthFrames });
  return {
    channels: 2,
    sampleRateHz,
    lengthFrames,
    read(startFrame, count) {
      const [left = new Float32Array(count), right = left.slice()] = resampled.read(startFrame, count);
      return [left, right];
    },
  };
}

/** A source without its first frames. */
export function skipFrames(source: FrameSource, skippedFrames: number): FrameSource {
  const { channels, sampleRateHz, lengthFrames } = source;
  return {
    channels,
    sampleRateHz,
    lengthFrames: Math.max(0, lengthFrames - skippedFrames),
    read: (startFrame, count) => source.read(startFrame + skippedFrames, count),
  };
}

/** The sum of all sources, as long as the longest. */
export function addSources(
  sources: readonly FrameSource[],
  { sampleRateHz, lengthFrames }: Shape,
): FrameSource {
  return {
    channels: 2,
    sampleRateHz,
    lengthFrames,
    read(startFrame, count) {
      const sum = [new Float32Array(count), new Float32Array(count)];
      for (const source of sources) {
        const planes = source.read(startFrame, count);
        sum.forEach((total, channel) => {
          addTo(total, planes[channel] ?? new Float32Array(count));
        });
        release(planes);
      }
      return sum;
    },
  };
}

function addTo(total: Float32Array, plane: Float32Array): void {
  for (const [n, value] of plane.entries()) total[n] = (total[n] ?? 0) + value;
}

/** The mix minus all stems; silence if they add up to it. */
export const makeRest = (mix: FrameSource, stems: readonly FrameSource[]): FrameSource =>
  new DifferenceSource(mix, addSources(stems, mix));
