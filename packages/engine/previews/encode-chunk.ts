import { encodeFlac } from "../dsp/flac/encode-flac.ts";
import { findPeak } from "../dsp/peaks.ts";

/** Maximum size of a minute of a track. */
const MAX_BYTES_PER_MINUTE = 11_800_000;
const BELOW_FULL_SCALE = 1 - 2 ** -18;
const GAIN_BYTES = 4;

/** A power of two that brings the samples below full scale; 1 if they already are. */
function findGain(planes: readonly Float32Array[]): number {
  const peak = findPeak(planes);
  let gain = 1;
  while (Number.isFinite(peak) && peak > gain * BELOW_FULL_SCALE) gain *= 2;
  return gain;
}

/** A stored chunk: the gain to multiply its samples by, as a 4-byte float, and a FLAC file. */
export function encodeChunk(planes: readonly Float32Array[], sampleRateHz: number): Uint8Array {
  const gain = findGain(planes);
  const bitsPerFrameMax = (MAX_BYTES_PER_MINUTE * 8) / 60 / sampleRateHz;
  const flac = encodeFlac(planes, { sampleRateHz, gain, bitsPerFrameMax });
  const chunk = new Uint8Array(GAIN_BYTES + flac.length);
  new DataView(chunk.buffer).setFloat32(0, gain, true);
  chunk.set(flac, GAIN_BYTES);
  return chunk;
}
