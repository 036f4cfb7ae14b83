import { toSampleRate } from "../packages/engine/dsp/resampled-source.ts";

/** Mono at another rate. */
export function atRate(samples: Float32Array, fromHz: number, toHz: number): Float32Array {
  const source = {
    channels: 1,
    sampleRateHz: fromHz,
    lengthFrames: samples.length,
    read(startFrame: number, lengthFrames: number) {
      const part = new Float32Array(lengthFrames);
      const from = Math.max(0, startFrame);
      part.set(samples.subarray(from, Math.max(from, startFrame + lengthFrames)), from - startFrame);
      return [part];
    },
  };
  const resampled = toSampleRate(source, { sampleRateHz: toHz });
  return resampled.read(0, resampled.lengthFrames)[0] ?? new Float32Array();
}
