import { ComplexFft } from "./complex-fft.ts";

/** Transform of real data of a power-of-two size, through a complex transform of half that size. */
export class RealFft {
  readonly size: number;
  /** size / 2 + 1: from zero to the Nyquist frequency, both included. */
  readonly binCount: number;
  readonly #half: ComplexFft;
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  readonly #re: Float64Array;
  readonly #im: Float64Array;

  constructor(size: number) {
    if (size < 2) throw new RangeError(`real FFT size ${size} is below 2`);
    this.size = size;
    this.binCount = size / 2 + 1;
    this.#half = new ComplexFft(size / 2);
    this.#cos = Float64Array.from({ length: this.binCount }, (_, k) => Math.cos((2 * Math.PI * k) / size));
    this.#sin = Float64Array.from({ length: this.binCount }, (_, k) => Math.sin((2 * Math.PI * k) / size));
    this.#re = new Float64Array(size / 2);
    this.#im = new Float64Array(size / 2);
  }

  /** `spectrumRe`, `spectrumIm` receive `binCount` values, unscaled. */
  forward(input: Float64Array, spectrumRe: Float64Array, spectrumIm: Float64Array): void {
    const half = this.size / 2;
    const [re, im, cosines, sines] = [this.#re, this.#im, this.#cos, this.#sin];
    for (let n = 0; n < half; n++) {
      re[n] = input[2 * n]!;
      im[n] = input[2 * n + 1]!;
    }
    this.#half.transform(re, im);
    spectrumRe[0] = re[0]! + im[0]!;
    spectrumIm[0] = 0;
    spectrumRe[half] = re[0]! - im[0]!;
    spectrumIm[half] = 0;
    for (let up = 1; up < half; up++) {
      // Even and odd samples' spectra are the Hermitian and anti-Hermitian halves of the packed one.
      const down = half - up;
      const evenRe = 0.5 * (re[up]! + re[down]!);
      const evenIm = 0.5 * (im[up]! - im[down]!);
      const oddRe = 0.5 * (im[up]! + im[down]!);
      const oddIm = 0.5 * (re[down]! - re[up]!);
      const cos = cosines[up]!;
      const sin = sines[up]!;
      spectrumRe[up] = evenRe + oddRe * cos + oddIm * sin;
      spectrumIm[up] = evenIm + oddIm * cos - oddRe * sin;
    }
  }

  /**
   * The inverse of `forward`, scaled by 1 / size, so that a round trip gives the input back. A real signal has
   * no imaginary part in its first and last bin; what a network puts there is ignored, as torch.fft.irfft does.
   */
  inverse(spectrumRe: Float64Array, spectrumIm: Float64Array, output: Float64Array): void {
    const half = this.size / 2;
    const [re, im, cosines, sines] = [this.#re, this.#im, this.#cos, this.#sin];
    re[0] = 0.5 * (spectrumRe[0]! + spectrumRe[half]!);
    im[0] = 0.5 * (spectrumRe[0]! - spectrumRe[half]!);
    for (let up = 1; up < half; up++) {
      const down = half - up;
      const evenRe = 0.5 * (spectrumRe[up]! + spectrumRe[down]!);
      const evenIm = 0.5 * (spectrumIm[up]! - spectrumIm[down]!);
      const turnedRe = 0.5 * (spectrumRe[up]! - spectrumRe[down]!);
      const turnedIm = 0.5 * (spectrumIm[up]! + spectrumIm[down]!);
      const cos = cosines[up]!;
      const sin = sines[up]!;
      const oddRe = turnedRe * cos - turnedIm * sin;
      const oddIm = turnedIm * cos + turnedRe * sin;
      re[up] = evenRe - oddIm;
      im[up] = evenIm + oddRe;
    }
    // Real and imaginary parts swapped: the forward transform computes the inverse.
    this.#half.transform(im, re);
    const scale = 1 / half;
    for (let n = 0; n < half; n++) {
      output[2 * n] = re[n]! * scale;
      output[2 * n + 1] = im[n]! * scale;
    }
  }
}
