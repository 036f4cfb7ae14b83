import { makeHannWindow } from "./hann-window.ts";
import { RealFft } from "./real-fft.ts";

/** The value of `bin` in time slot `slot` lies at `bin * binStride + slot * slotStride`: networks differ in what runs faster. */
export type Spectrogram = {
  re: Float32Array;
  im: Float32Array;
  binCount: number;
  slotCount: number;
  binStride: number;
  slotStride: number;
};

/**
 * Short-time Fourier transform with a periodic Hann window. Slot `s` covers the samples from `s * hopFrames` on:
 * padding is the caller's. `orthonormal` scales by 1 / sqrt(fftSize), as `normalized=True` of torch.stft.
 */
export class Stft {
  readonly fftSize: number;
  readonly hopFrames: number;
  readonly #fft: RealFft;
  readonly #analysis: Float64Array;
  readonly #synthesis: Float64Array;
  readonly #grain: Float64Array;
  readonly #re: Float64Array;
  readonly #im: Float64Array;

  constructor(options: { fftSize: number; hopFrames: number; scaling: "orthonormal" | "none" }) {
    const { fftSize, hopFrames } = options;
    const overlap = fftSize / hopFrames;
    if (!Number.isInteger(overlap) || overlap < 2) {
      throw new RangeError(`hop ${hopFrames} of ${fftSize}: the windows do not cover the signal evenly`);
    }
    this.fftSize = fftSize;
    this.hopFrames = hopFrames;
    this.#fft = new RealFft(fftSize);
    const window = makeHannWindow(fftSize);
    const scale = options.scaling === "orthonormal" ? Math.sqrt(fftSize) : 1;
    // What the squared windows that meet in a frame sum to; it repeats with the hop.
    const power = (n: number) =>
      Array.from({ length: overlap }, (_, k) => window[(n % hopFrames) + k * hopFrames]! ** 2).reduce(
        (a, b) => a + b,
      );
    this.#analysis = window.map((value) => value / scale);
    this.#synthesis = window.map((value, n) => (value * scale) / power(n));
    this.#grain = new Float64Array(fftSize);
    this.#re = new Float64Array(this.#fft.binCount);
    this.#im = new Float64Array(this.#fft.binCount);
  }

  lengthFramesOf(slotCount: number): number {
    return (slotCount - 1) * this.hopFrames + this.fftSize;
  }

  /** Fills `spectrogram` from `signal`; bins past its `binCount` are left out. */
  forward(signal: Float32Array, spectrogram: Spectrogram): void {
    const { re, im, binCount, slotCount, binStride, slotStride } = spectrogram;
    if (signal.length < this.lengthFramesOf(slotCount)) throw new RangeError("signal shorter than its slots");
    const [grain, window, binsRe, binsIm] = [this.#grain, this.#analysis, this.#re, this.#im];
    for (let slot = 0; slot < slotCount; slot++) {
      const start = slot * this.hopFrames;
      for (let n = 0; n < window.length; n++) grain[n] = signal[start + n]! * window[n]!;
      this.#fft.forward(grain, binsRe, binsIm);
      for (let bin = 0, at = slot * slotStride; bin < binCount; bin++, at += binStride) {
        re[at] = binsRe[bin]!;
        im[at] = binsIm[bin]!;
      }
    }
  }

  /**
   * The least-squares inverse as if the spectrogram went on with silent slots at both ends: exact where a
   * frame is covered by all its slots, faded in the outer `fftSize - hopFrames` frames. Missing bins are zero.
   */
  inverse(spectrogram: Spectrogram): Float32Array {
    const { re, im, binCount, slotCount, binStride, slotStride } = spectrogram;
    const sum = new Float64Array(this.lengthFramesOf(slotCount));
    const [grain, window, binsRe, binsIm] = [this.#grain, this.#synthesis, this.#re, this.#im];
    binsRe.fill(0);
    binsIm.fill(0);
    for (let slot = 0; slot < slotCount; slot++) {
      for (let bin = 0, at = slot * slotStride; bin < binCount; bin++, at += binStride) {
        binsRe[bin] = re[at]!;
        binsIm[bin] = im[at]!;
      }
      this.#fft.inverse(binsRe, binsIm, grain);
      const start = slot * this.hopFrames;
      for (let n = 0; n < window.length; n++) sum[start + n]! += grain[n]! * window[n]!;
    }
    return new Float32Array(sum);
  }
}
