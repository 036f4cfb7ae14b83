import {
  AV_SAMPLE_FMT_FLTP,
  AV_SAMPLE_FMT_S16,
  AV_SAMPLE_FMT_S32,
  type AVSampleFormat,
} from "node-av/constants";

/**
 * Interleaved floats as the bytes of an FFmpeg sample format. Integers are rounded and clipped here, because
 * FFmpeg cuts 32 bits down to 24 by truncation, half a step of bias.
 */
export function toSampleBytes(block: Float32Array, channels: number, sampleFormat: AVSampleFormat): Buffer {
  const samples = toSamples(block, channels, sampleFormat);
  return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
}

function toSamples(block: Float32Array, channels: number, sampleFormat: AVSampleFormat) {
  if (sampleFormat === AV_SAMPLE_FMT_S16) return toInteger16(block);
  if (sampleFormat === AV_SAMPLE_FMT_S32) return toInteger24(block);
  if (sampleFormat === AV_SAMPLE_FMT_FLTP) return toPlanar(block, channels);
  return block;
}

function toInteger16(block: Float32Array): Int16Array {
  const integers = new Int16Array(block.length);
  for (let i = 0; i < block.length; i++) {
    integers[i] = Math.max(-32768, Math.min(32767, Math.round((block[i] ?? 0) * 32768)));
  }
  return integers;
}

/** 24 bits sit in the upper part of 32. */
function toInteger24(block: Float32Array): Int32Array {
  const integers = new Int32Array(block.length);
  for (let i = 0; i < block.length; i++) {
    integers[i] = Math.max(-8388608, Math.min(8388607, Math.round((block[i] ?? 0) * 8388608))) << 8;
  }
  return integers;
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
