import { RealFft } from "./real-fft.ts";
import { makeStftWindows, type StftShape } from "./stft-windows.ts";

/** `bin` of time slot `slot` is at `bin * binStride + slot * slotStride`: networks differ in their axis order. */
export type Spectrogram = {
  re: Float32Array;
  im: Float32Array;
  binCount: number;
  slotCount: number;
  binStride: number;
  slotStride: number;
};

/** Short-time Fourier transform with a periodic Hann window. Slot `s` covers the samples from `s * hopFrames` on; the caller pads. */
export class Stft {
  readonly fftSize: number;
  readonly hopFrames: number;
  readonly #fft: RealFft;
  readonly #analysis: Float32Array;
  readonly #synthesis: Float32Array;

  constructor(shape: StftShape) {
    this.fftSize = shape.fftSize;
    this.hopFrames = shape.hopFrames;
    this.#fft = new RealFft(shape.fftSize);
    const { analysis, synthesis } = makeStftWindows(shape);
    this.#analysis = analysis;
    this.#synthesis = synthesis;
  }

  lengthFramesOf(slotCount: number): number {
    return (slotCount - 1) * this.hopFrames + this.fftSize;
  }

  /** Fills `spectrogram` from `signal`; bins beyond its `binCount` are dropped. */
  forward(signal: Float32Array, spectrogram: Spectrogram): void {
    const { slotCount } = spectrogram;
    if (signal.length < this.lengthFramesOf(slotCount)) throw new RangeError("signal shorter than its slots");
    const { signal: grain, spectrum } = this.#fft;
    for (let slot = 0; slot < slotCount; slot++) {
      const start = slot * this.hopFrames;
      for (let n = 0; n < this.fftSize; n++) grain[n] = signal[start + n]! * this.#analysis[n]!;
      this.#fft.forward();
      scatter(spectrum, spectrogram, slot);
    }
  }

  /**
   * The least-squares inverse as if the spectrogram continued with silent slots at both ends: exact where all slots of a frame exist, faded in the outer
   * `fftSize - hopFrames` frames. Missing bins are zero, and so are the imaginary parts of the first and last bin, as for any real signal.
   */
  inverse(spectrogram: Spectrogram): Float32Array {
    const { slotCount } = spectrogram;
    const sum = new Float32Array(this.lengthFramesOf(slotCount));
    const { signal: grain, spectrum } = this.#fft;
    for (let slot = 0; slot < slotCount; slot++) {
      gather(spectrogram, slot, spectrum);
      this.#fft.inverse();
      const start = slot * this.hopFrames;
      for (let n = 0; n < this.fftSize; n++) sum[start + n]! += grain[n]! * this.#synthesis[n]!;
    }
    return sum;
  }
}

function scatter(spectrum: Float32Array, to: Spectrogram, slot: number): void {
  const { re, im, binCount, binStride, slotStride } = to;
  const half = spectrum.length / 2;
  const start = slot * slotStride;
  re[start] = spectrum[0]!;
  im[start] = 0;
  const pairs = Math.min(binCount, half);
  for (let bin = 1, at = start + binStride; bin < pairs; bin++, at += binStride) {
    re[at] = spectrum[2 * bin]!;
    im[at] = spectrum[2 * bin + 1]!;
  }
  if (binCount > half) {
    re[start + half * binStride] = spectrum[1]!;
    im[start + half * binStride] = 0;
  }
}

function gather(from: Spectrogram, slot: number, spectrum: Float32Array): void {
  const { re, im, binCount, binStride, slotStride } = from;
  const half = spectrum.length / 2;
  const start = slot * slotStride;
  const pairs = Math.min(binCount, half);
  spectrum[0] = re[start]!;
  spectrum[1] = binCount > half ? re[start + half * binStride]! : 0;
  for (let bin = 1, at = start + binStride; bin < pairs; bin++, at += binStride) {
    spectrum[2 * bin] = re[at]!;
    spectrum[2 * bin + 1] = im[at]!;
  }
  spectrum.fill(0, 2 * pairs);
}
