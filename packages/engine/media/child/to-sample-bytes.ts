import {
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
  AV_SAMPLE_FMT_S32,
  type AVSampleFormat,
} from "node-av/constants";

type SampleBytes = { bytes: Buffer; clippedSamples: number };
type Samples = Int16Array | Int32Array | Float32Array;

/**
 * Converts interleaved floats to the bytes of an FFmpeg sample format. Integers are rounded and clipped here, because FFmpeg truncates 32 bits to 24,
 * which adds half a step of bias, and does not report clipping.
 */
export function toSampleBytes(
  block: Float32Array,
  channels: number,
  sampleFormat: AVSampleFormat,
): SampleBytes {
  if (sampleFormat === AV_SAMPLE_FMT_S16)
    return toIntegers(block, { steps: 2 ** 15, unit: 1, integers: new Int16Array(block.length) });
  // 24-bit samples are the upper bits of 32.
  if (sampleFormat === AV_SAMPLE_FMT_S32)
    return toIntegers(block, { steps: 2 ** 23, unit: 2 ** 8, integers: new Int32Array(block.length) });
  const samples = sampleFormat === AV_SAMPLE_FMT_FLTP ? toPlanar(block, channels) : block;
  return { bytes: toBytes(samples), clippedSamples: 0 };
}

/** 18 dB above full scale. At 32768 libopus writes silence, and at 2^31 libmp3lame and FFmpeg's aac fail. */
const LOSSY_PEAK = 8;

/** What a lossy encoder can take: louder samples are clipped, where every player has long done so. */
export function limitForLossy(block: Float32Array): Float32Array {
  if (block.every((value) => Math.abs(value) <= LOSSY_PEAK)) return block;
  return block.map((value) => Math.max(-LOSSY_PEAK, Math.min(LOSSY_PEAK, value)));
}

const toBytes = ({ buffer, byteOffset, byteLength }: Samples) => Buffer.from(buffer, byteOffset, byteLength);

/** +1.0 becomes the largest integer and does not count as clipped: integers have one value less above zero than below. */
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
