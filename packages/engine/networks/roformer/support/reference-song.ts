import { crc32 } from "node:zlib";
import { makeSyntheticSong } from "../../../support/synthetic-song.ts";

const SAMPLE_RATE_HZ = 44_100;
const SECONDS = 12;
/** −60 dBFS: the norm of an empty band would raise rounding to full level. */
const NOISE_GAIN = 1e-3;

/** Numbers from −1 to 1 that depend on the name alone; `noise` in training/roformer_references.py is the same. */
export function hashNoise(name: string, count: number): Float32Array {
  const seed = crc32(name);
  return Float32Array.from({ length: count }, (_, index) => {
    let x = (Math.imul(index, 2_654_435_761) + seed) >>> 0;
    for (let round = 0; round < 2; round++) {
      x ^= x >>> 16;
      x = Math.imul(x, 0x45d9f3b) >>> 0;
    }
    x = (x ^ (x >>> 16)) >>> 0;
    return x / 2 ** 31 - 1;
  });
}

/** 12 s in stereo with a noise floor. */
export function makeReferenceSong(): Float32Array[] {
  const lengthFrames = SECONDS * SAMPLE_RATE_HZ;
  return makeSyntheticSong({ sampleRateHz: SAMPLE_RATE_HZ, lengthFrames }).map((plane, channel) => {
    const noise = hashNoise(`floor ${channel}`, lengthFrames);
    return plane.map((value, n) => value + NOISE_GAIN * noise[n]!);
  });
}
