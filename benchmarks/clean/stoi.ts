import { atRate } from "../at-rate.ts";
import { listPowerFrames } from "./power-frames.ts";

const RATE_HZ = 10_000;
const SHAPE = { frame: 256, hop: 128, fftSize: 512 };
const BANDS = 15;
const LOWEST_HZ = 150;
const SEGMENT_FRAMES = 30;
const QUIET_DB = 40;
/** An estimate may exceed the truth by at most 15 dB. */
const CLIP = 1 + 10 ** (15 / 20);

/** Short-time objective intelligibility (Taal et al. 2011), 0 to 1, as in `training/losses/intelligibility.py`. */
export function findStoi(truth: Float32Array, estimate: Float32Array, sampleRateHz: number): number {
  const [wantedFrames, givenFrames] = [truth, estimate].map((samples) =>
    listPowerFrames(atRate(samples, sampleRateHz, RATE_HZ), SHAPE),
  ) as [Float64Array[], Float64Array[]];
  const levels = wantedFrames.map((power) => 10 * Math.log10(sumOf(power) + 1e-24));
  const loudest = levels.reduce((most, level) => Math.max(most, level));
  const isLoud = (_: unknown, frame: number) => levels[frame]! > loudest - QUIET_DB;
  const [wanted, given] = [wantedFrames, givenFrames].map((frames) => toEnvelopes(frames.filter(isLoud))) as [
    Float64Array[],
    Float64Array[],
  ];
  const ends = Math.max(0, wanted[0]!.length - SEGMENT_FRAMES + 1);
  let total = 0;
  for (let start = 0; start < ends; start++) {
    for (let band = 0; band < BANDS; band++) {
      const cut = (rows: readonly Float64Array[]) => rows[band]!.subarray(start, start + SEGMENT_FRAMES);
      total += correlate(cut(wanted), cut(given));
    }
  }
  return total / (ends * BANDS);
}

const sumOf = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
const normOf = (values: Float64Array) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));

const BAND_BINS = Array.from({ length: BANDS }, (_, band) => {
  const centreHz = LOWEST_HZ * 2 ** (band / 3);
  const binHz = RATE_HZ / SHAPE.fftSize;
  return {
    from: Math.ceil((centreHz * 2 ** (-1 / 6)) / binHz),
    to: Math.ceil((centreHz * 2 ** (1 / 6)) / binHz),
  };
});

/** Each band's magnitude, frame by frame. */
const toEnvelopes = (frames: readonly Float64Array[]) =>
  BAND_BINS.map(({ from, to }) =>
    Float64Array.from(frames, (power) => Math.sqrt(sumOf(power.subarray(from, to)))),
  );

function correlate(wanted: Float64Array, given: Float64Array): number {
  const gain = normOf(wanted) / (normOf(given) + 1e-12);
  const limited = given.map((value, n) => Math.min(gain * value, CLIP * wanted[n]!));
  const [x, y] = [centre(wanted), centre(limited)];
  const common = x.reduce((sum, value, n) => sum + value * y[n]!, 0);
  return common / (normOf(x) * normOf(y) + 1e-12);
}

function centre(values: Float64Array): Float64Array {
  const mean = sumOf(values) / values.length;
  return values.map((value) => value - mean);
}
