import { makeHannWindow } from "./hann-window.ts";
import { RealFft } from "./real-fft.ts";
import { padByReflection } from "./reflect-pad.ts";
import type { Spectrogram } from "./stft.ts";

export type CentredSpectrogramShape = {
  fftSize: number;
  hopFrames: number;
  window: "hann" | "rectangular";
  /** `orthonormal` scales by 1 / sqrt(fftSize), like `normalized=True` in torch.stft. */
  scaling: "orthonormal" | "none";
};

/**
 * `torch.stft` and `torch.istft` with `center=True`: slot s is centred on frame s · hop, and the signal is mirrored at its ends. The inverse divides by the
 * windows that are there, so it is exact up to the ends, for any hop.
 */
export class CentredSpectrogram {
  readonly lengthFrames: number;
  readonly slotCount: number;
  readonly #fft: RealFft;
  readonly #hopFrames: number;
  readonly #marginFrames: number;
  readonly #analysis: Float64Array;
  readonly #synthesis: Float64Array;
  /** By frame of the padded signal: one over the sum of the squared windows. */
  readonly #gains: Float64Array;

  constructor({ fftSize, hopFrames, window, scaling }: CentredSpectrogramShape, lengthFrames: number) {
    this.lengthFrames = lengthFrames;
    this.slotCount = Math.floor(lengthFrames / hopFrames) + 1;
    this.#fft = new RealFft(fftSize);
    this.#hopFrames = hopFrames;
    this.#marginFrames = fftSize / 2;
    const shape = window === "hann" ? makeHannWindow(fftSize) : new Float64Array(fftSize).fill(1);
    const scale = scaling === "orthonormal" ? Math.sqrt(fftSize) : 1;
    this.#analysis = shape.map((value) => value / scale);
    this.#synthesis = shape.map((value) => (value * scale) / fftSize);
    this.#gains = this.#findGains(shape);
  }

  /** Fills `spectrogram` from `signal`; bins beyond its `binCount` are dropped. */
  forward(signal: Float32Array, spectrogram: Spectrogram): void {
    const margin = this.#marginFrames;
    const padded = padByReflection(signal, { left: margin, right: margin });
    const { signal: grain, spectrum } = this.#fft;
    const { re, im, binStride, slotStride } = spectrogram;
    const half = this.#fft.size / 2;
    const pairs = Math.min(spectrogram.binCount, half);
    for (let slot = 0; slot < this.slotCount; slot++) {
      const start = slot * this.#hopFrames;
      for (let n = 0; n < grain.length; n++) grain[n] = padded[start + n]! * this.#analysis[n]!;
      this.#fft.forward();
      let at = slot * slotStride;
      re[at] = spectrum[0]!;
      im[at] = 0;
      for (let bin = 1; bin < pairs; bin++) {
        at += binStride;
        re[at] = spectrum[2 * bin]!;
        im[at] = spectrum[2 * bin + 1]!;
      }
      if (spectrogram.binCount > half) {
        at = slot * slotStride + half * binStride;
        re[at] = spectrum[1]!;
        im[at] = 0;
      }
    }
  }

  /** Missing bins are zero, and so are the imaginary parts of the first and last bin, as for any real signal. Silence behind the last slot. */
  inverse(spectrogram: Spectrogram): Float32Array {
    const { re, im, binStride, slotStride } = spectrogram;
    const { signal: grain, spectrum } = this.#fft;
    const half = this.#fft.size / 2;
    const pairs = Math.min(spectrogram.binCount, half);
    const sum = new Float64Array(this.#gains.length);
    for (let slot = 0; slot < this.slotCount; slot++) {
      let at = slot * slotStride;
      spectrum[0] = re[at]!;
      spectrum[1] = spectrogram.binCount > half ? re[at + half * binStride]! : 0;
      for (let bin = 1; bin < pairs; bin++) {
        at += binStride;
        spectrum[2 * bin] = re[at]!;
        spectrum[2 * bin + 1] = im[at]!;
      }
      spectrum.fill(0, 2 * pairs);
      this.#fft.inverse();
      const start = slot * this.#hopFrames;
      for (let n = 0; n < grain.length; n++) sum[start + n]! += grain[n]! * this.#synthesis[n]!;
    }
    const signal = new Float32Array(this.lengthFrames);
    const margin = this.#marginFrames;
    const end = Math.min(signal.length, sum.length - margin);
    for (let n = 0; n < end; n++) signal[n] = sum[margin + n]! * this.#gains[margin + n]!;
    return signal;
  }

  #findGains(window: Float64Array): Float64Array {
    const sums = new Float64Array((this.slotCount - 1) * this.#hopFrames + window.length);
    for (let slot = 0; slot < this.slotCount; slot++) {
      const start = slot * this.#hopFrames;
      for (let n = 0; n < window.length; n++) sums[start + n]! += window[n]! ** 2;
    }
    return sums.map((sum) => (sum > 1e-11 ? 1 / sum : 0));
  }
}
