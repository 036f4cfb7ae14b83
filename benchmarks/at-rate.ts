import { toSampleRate } from "../packages/engine/dsp/resampling/resampled-source.ts";
import { ArraySource } from "../packages/engine/dsp/sources/array-source.ts";

/** Mono at another rate. */
export function atRate(samples: Float32Array, fromHz: number, toHz: number): Float32Array {
  const resampled = toSampleRate(new ArraySource([samples], fromHz), { sampleRateHz: toHz });
  return resampled.read(0, resampled.lengthFrames)[0] ?? new Float32Array();
}
