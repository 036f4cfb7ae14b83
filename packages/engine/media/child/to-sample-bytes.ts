import {
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
  AV_SAMPLE_FMT_S32,
  type AVSampleFormat,
} from "node-av/constants";

type SampleBytes = { bytes: Buffer; clippedSamples: number };
type Samples = Int16Array | Int32Array | Float32Array;

/**
 * Interleaved floats as the bytes of an FFmpeg sample format. Integers are rounded and clipped here, because
 * FFmpeg cuts 32 bits down to 24 by truncation, half a step of bias, and does not tell what it clips.
 */
export function toSampleBytes(
  block: Float32Array,
  channels: number,
  sampleFormat: AVSampleFormat,
): SampleBytes {
  if (sampleFormat === AV_SAMPLE_FMT_S16)
    return toIntegers(block, { steps: 2 ** 15, unit: 1, integers: new Int16Array(block.length) });
  // 24 bits sit in the upper part of 32.
  if (sampleFormat === AV_SAMPLE_FMT_S32)
    return toIntegers(block, { steps: 2 ** 23, unit: 2 ** 8, integers: new Int32Array(block.length) });
  const samples = sampleFormat === AV_SAMPLE_FMT_FLTP ? toPlanar(block, channels) : block;
  return { bytes: toBytes(samples), clippedSamples: 0 };
}

const toBytes = ({ buffer, byteOffset, byteLength }: Samples) => Buffer.from(buffer, byteOffset, byteLength);

/** Full scale itself is the last step, and no sample too loud: integers have one less above zero than below. */
function toIntegers(
  block: Float32Array,
  { steps, unit, integers }: { steps: number; unit: number; integers: Int16Array | Int32Array },
): SampleBytes {
  let clippedSamples = 0;
  for (let i = 0; i < block.length; i++) {
    const value = Math.round((block[i] ?? 0) * steps);
    if (value > steps || value < -steps) clippedSamples++;
    integers[i] = Math.max(-steps, Math.min(steps - 1, value)) * unit;
  }
  return { bytes: toBytes(integers), clippedSamples };
}

function toPlanar(block: Float32Array, channels: number): Float32Array {
  const frames = block.length / channels;
  const planes = new Float32Array(block.length);
  for (let channel = 0; channel < channels; channel++) {
    for (let frame = 0; frame < frames; frame++) {
      planes[channel * frames + frame] = block[frame * channels + channel] ?? 0;
    }
  }
  return planes;
}
