import { atRate } from "../at-rate.ts";
import { listPowerFrames } from "./power-frames.ts";

const RATE_HZ = 10_000;
const SHAPE = { frame: 256, hop: 128, fftSize: 512 };
const BANDS = 15;
const LOWEST_HZ = 150;
const SEGMENT_FRAMES = 30;
const QUIET_DB = 40;
/** An estimate may exceed the truth by 15 dB at most. */
const CLIP = 1 + 10 ** (15 / 20);

/** Short-time objective intelligibility (Taal et al. 2011), 0 to 1, as `training/losses/intelligibility.py` has it. */
export function findStoi(truth: Float32Array, estimate: Float32Array, sampleRateHz: number): number {
  const [wantedFrames, givenFrames] = [truth, estimate].map((samples) =>
    listPowerFrames(atRate(samples, sampleRateHz, RATE_HZ), SHAPE),
  ) as [Float64Array[], Float64Array[]];
  const levels = wantedFrames.map((power) => 10 * Math.log10(sumOf(power) + 1e-24));
  const loudest = levels.reduce((most, level) => Math.max(most, level));
  const isLoud = (_: unknown, frame: number) => levels[frame]! > loudest - QUIET_DB;
  const wanted = wantedFrames.filter(isLoud).map(toEnvelope);
  const given = givenFrames.filter(isLoud).map(toEnvelope);
  let total = 0;
  let count = 0;
  for (let end = SEGMENT_FRAMES; end <= wanted.length; end++) {
    for (let band = 0; band < BANDS; band++) {
      const row = (frames: readonly number[][]) =>
        frames.slice(end - SEGMENT_FRAMES, end).map((bands) => bands[band]!);
      total += correlate(row(wanted), row(given));
      count++;
    }
  }
  return total / count;
}

const sumOf = (values: ArrayLike<number>) =>
  Array.prototype.reduce.call(values, (a, b) => a + b, 0) as number;
const normOf = (values: readonly number[]) => Math.hypot(...values);

const BAND_BINS = Array.from({ length: BANDS }, (_, band) => {
  const centreHz = LOWEST_HZ * 2 ** (band / 3);
  const binHz = RATE_HZ / SHAPE.fftSize;
  return {
    from: Math.ceil((centreHz * 2 ** (-1 / 6)) / binHz),
    to: Math.ceil((centreHz * 2 ** (1 / 6)) / binHz),
  };
});

const toEnvelope = (power: Float64Array) =>
  BAND_BINS.map(({ from, to }) => Math.sqrt(sumOf(power.subarray(from, to))));

function correlate(wanted: readonly number[], given: readonly number[]): number {
  const gain = normOf(wanted) / (normOf(given) + 1e-12);
  const limited = given.map((value, n) => Math.min(gain * value, CLIP * wanted[n]!));
  const centre = (values: readonly number[]) => {
    const mean = sumOf(values) / values.length;
    return values.map((value) => value - mean);
  };
  const [x, y] = [centre(wanted), centre(limited)];
  return sumOf(x.map((value, n) => value * y[n]!)) / (normOf(x) * normOf(y) + 1e-12);
}
