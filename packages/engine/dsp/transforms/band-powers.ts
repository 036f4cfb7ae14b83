import { makeHannWindow } from "./hann-window.ts";
import { makeMelFilters } from "./mel-filters.ts";
import { RealFft } from "./real-fft.ts";

/** Equivalent noise bandwidth of the Hann window: all bins of a sine together have 1.5 times the power of its peak bin. */
const HANN_NOISE_BANDWIDTH = 1.5;

type BandFilter = { firstBin: number; weights: Float32Array };

/**
 * The power in each mel band, column by column; 1 is a full-scale sine. A column's window is twice its length; at the ends it stays within the
 * audio, since an edge would look like a click. Of stereo, only the louder of mid and side is analysed: half the time of both, and sound that cancels
 * out in one is still seen in the other.
 */
export class BandPowers {
  readonly bands: number;
  readonly #columnFrames: number;
  readonly #fft: RealFft;
  readonly #window: Float32Array;
  readonly #filters: BandFilter[];
  readonly #powers: Float32Array;

  constructor(options: { sampleRateHz: number; columnFrames: number; bands: number }) {
    const { sampleRateHz, columnFrames, bands } = options;
    this.bands = bands;
    this.#columnFrames = columnFrames;
    const fftSize = 2 * columnFrames;
    this.#fft = new RealFft(fftSize);
    // Scaled so that the powers of a full-scale sine add up to 1.
    const scale = 4 / fftSize / Math.sqrt(HANN_NOISE_BANDWIDTH);
    this.#window = Float32Array.from(makeHannWindow(fftSize), (value) => scale * value);
    this.#powers = new Float32Array(fftSize / 2 + 1);
    this.#filters = makeMelFilters({ melCount: bands, fftSize, sampleRateHz }).map(
      ({ firstBin, weights }) => {
        // Triangles that sum to one everywhere, so that all bands together have the power of the signal.
        const peak = weights.reduce((most, weight) => Math.max(most, weight), Number.MIN_VALUE);
        return { firstBin, weights: Float32Array.from(weights, (weight) => weight / peak) };
      },
    );
  }

  /** Column by column, each from the lowest band up. */
  measure(planes: readonly Float32Array[]): Float32Array {
    const lengthFrames = planes[0]?.length ?? 0;
    const columns = Math.ceil(lengthFrames / this.#columnFrames);
    const bandPowers = new Float32Array(columns * this.bands);
    for (let column = 0; column < columns; column++) {
      const centred = Math.round((column - 0.5) * this.#columnFrames);
      this.#fillSignal(planes, Math.max(0, Math.min(lengthFrames - this.#fft.size, centred)));
      this.#fft.forward();
      this.#fillPowers();
      this.#sumBands(bandPowers, column * this.bands);
    }
    return bandPowers;
  }

  #fillSignal(planes: readonly Float32Array[], start: number): void {
    const { signal, size } = this.#fft;
    const window = this.#window;
    const [left = new Float32Array(), right = left] = planes;
    const length = Math.min(size, left.length - start);
    let product = 0;
    for (let n = 0; n < length; n++) {
      const l = left[start + n]!;
      const r = right[start + n]!;
      product += l * r;
      signal[n] = 0.5 * (l + r) * window[n]!;
    }
    signal.fill(0, length);
    // The power of mid minus that of side is four times the product.
    if (product >= 0) return;
    for (let n = 0; n < length; n++) signal[n] = 0.5 * (left[start + n]! - right[start + n]!) * window[n]!;
  }

  #fillPowers(): void {
    const { spectrum, size } = this.#fft;
    const powers = this.#powers;
    // The first pair is bins 0 and size / 2, which no band reaches.
    for (let bin = 1; bin < size / 2; bin++) {
      const real = spectrum[2 * bin]!;
      const imaginary = spectrum[2 * bin + 1]!;
      powers[bin] = real * real + imaginary * imaginary;
    }
  }

  #sumBands(into: Float32Array, at: number): void {
    const powers = this.#powers;
    for (let band = 0; band < this.bands; band++) {
      const { firstBin, weights } = this.#filters[band]!;
      let sum = 0;
      for (let n = 0; n < weights.length; n++) sum += weights[n]! * powers[firstBin + n]!;
      into[at + band] = sum;
    }
  }
}

/** Averages groups of `factor` columns. */
export function joinColumns(powers: Float32Array, bands: number, factor: number): Float32Array {
  const columns = powers.length / bands;
  const joined = new Float32Array(Math.ceil(columns / factor) * bands);
  for (let column = 0; column < columns; column++) {
    const into = Math.floor(column / factor) * bands;
    const count = Math.min(factor, columns - Math.floor(column / factor) * factor);
    for (let band = 0; band < bands; band++) joined[into + band]! += powers[column * bands + band]! / count;
  }
  return joined;
}

/** One byte per value: 255 is full scale, 0 is `floorDb` or below. */
export function toLevelBytes(powers: Float32Array, floorDb: number): Uint8Array {
  const bytes = new Uint8Array(powers.length);
  const perNeper = (255 * 10) / (-floorDb * Math.LN10);
  for (let n = 0; n < powers.length; n++) {
    // log(0) is -Infinity, which is clamped to 0 too.
    bytes[n] = Math.max(0, Math.min(255, 255.5 + perNeper * Math.log(powers[n]!)));
  }
  return bytes;
}
