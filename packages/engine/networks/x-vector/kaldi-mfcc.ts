import type { MelFilter } from "../../dsp/transforms/mel-filters.ts";
import { RealFft } from "../../dsp/transforms/real-fft.ts";

/** The network's features: conf/mfcc.conf of its recipe, and Kaldi's defaults for the rest. */
export const KALDI_RATE_HZ = 8000;
export const CEPSTRA = 23;
export const HOP_FRAMES = 80;
const FRAME_FRAMES = 200;
const FFT_SIZE = 256;
const LOWEST_HZ = 20;
const HIGHEST_HZ = 3700;
const EMPHASIS = 0.97;
const LIFTER = 22;
/** Kaldi's samples are 16-bit integers. */
const FULL_SCALE = 32_768;
const SMALLEST = 1.19e-7;
/** Window of the sliding mean: 3 s. */
const MEAN_FRAMES = 300;

const toMel = (hz: number) => 1127 * Math.log(1 + hz / 700);

/** MFCCs as Kaldi computes them, one row of `CEPSTRA` values every 10 ms; the first value is the frame's energy. */
export class KaldiMfcc {
  readonly #fft = new RealFft(FFT_SIZE);
  // Povey's window.
  readonly #window = Float64Array.from(
    { length: FRAME_FRAMES },
    (_, n) => (0.5 - 0.5 * Math.cos((2 * Math.PI * n) / (FRAME_FRAMES - 1))) ** 0.85,
  );
  readonly #filters = makeFilters();
  readonly #cosines = makeCosines();

  /** Row t starts at sample 80·t; the caller pads. */
  analyse(samples: Float32Array): Float32Array {
    const rows = Math.max(0, Math.floor((samples.length - FRAME_FRAMES) / HOP_FRAMES) + 1);
    const cepstra = new Float32Array(rows * CEPSTRA);
    for (let row = 0; row < rows; row++) {
      const start = row * HOP_FRAMES;
      this.#analyseFrame(
        samples.subarray(start, start + FRAME_FRAMES),
        cepstra.subarray(row * CEPSTRA, (row + 1) * CEPSTRA),
      );
    }
    return cepstra;
  }

  #analyseFrame(frame: Float32Array, into: Float32Array): void {
    const { signal, spectrum } = this.#fft;
    let mean = 0;
    for (let n = 0; n < FRAME_FRAMES; n++) mean += frame[n]! / FRAME_FRAMES;
    let energy = 0;
    let before = (frame[0]! - mean) * FULL_SCALE;
    for (let n = 0; n < FRAME_FRAMES; n++) {
      const value = (frame[n]! - mean) * FULL_SCALE;
      energy += value * value;
      signal[n] = (value - EMPHASIS * before) * this.#window[n]!;
      before = value;
    }
    signal.fill(0, FRAME_FRAMES);
    this.#fft.forward();
    const logs = this.#filters.map(({ firstBin, weights }) => {
      let sum = 0;
      for (let n = 0; n < weights.length; n++) {
        const at = 2 * (firstBin + n);
        sum += weights[n]! * (spectrum[at]! ** 2 + spectrum[at + 1]! ** 2);
      }
      return Math.log(Math.max(sum, SMALLEST));
    });
    for (let index = 1; index < CEPSTRA; index++) {
      const row = this.#cosines[index]!;
      into[index] = logs.reduce((sum, value, band) => sum + value * row[band]!, 0);
    }
    into[0] = Math.log(Math.max(energy, SMALLEST));
  }
}

function makeFilters(): MelFilter[] {
  const lowest = toMel(LOWEST_HZ);
  const step = (toMel(HIGHEST_HZ) - lowest) / (CEPSTRA + 1);
  return Array.from({ length: CEPSTRA }, (_, band) => {
    const middle = lowest + (band + 1) * step;
    const weights = Array.from({ length: FFT_SIZE / 2 }, (_, bin) =>
      Math.max(0, 1 - Math.abs(toMel((bin * KALDI_RATE_HZ) / FFT_SIZE) - middle) / step),
    );
    const firstBin = weights.findIndex((weight) => weight > 0);
    const lastBin = weights.findLastIndex((weight) => weight > 0);
    return { firstBin, weights: Float64Array.from(weights.slice(firstBin, lastBin + 1)) };
  });
}

/** The DCT with Kaldi's lifter, which weights higher cepstra more. */
function makeCosines(): Float64Array[] {
  return Array.from({ length: CEPSTRA }, (_, index) => {
    const lift = 1 + (LIFTER / 2) * Math.sin((Math.PI * index) / LIFTER);
    return Float64Array.from(
      { length: CEPSTRA },
      (_, band) => lift * Math.sqrt(2 / CEPSTRA) * Math.cos((Math.PI / CEPSTRA) * (band + 0.5) * index),
    );
  });
}

/** Cepstral mean normalisation over the three seconds around each row, in place: removes the channel's coloration. */
export function subtractSlidingMean(cepstra: Float32Array): void {
  const rows = cepstra.length / CEPSTRA;
  const width = Math.min(MEAN_FRAMES, rows);
  const original = cepstra.slice();
  const sums = new Float64Array(CEPSTRA);
  let from = 0;
  let to = 0;
  const add = (row: number, sign: number) => {
    for (let index = 0; index < CEPSTRA; index++) sums[index]! += sign * original[row * CEPSTRA + index]!;
  };
  for (let row = 0; row < rows; row++) {
    const first = Math.min(Math.max(0, row - MEAN_FRAMES / 2), rows - width);
    while (to < first + width) add(to++, 1);
    while (from < first) add(from++, -1);
    for (let index = 0; index < CEPSTRA; index++) cepstra[row * CEPSTRA + index]! -= sums[index]! / width;
  }
}
