/**
 * Forward complex FFT of any size without large prime factors, e.g. 400 = 4 · 4 · 5 · 5: Stockham's autosort algorithm with a small DFT per factor.
 * For real data whose size is a multiple of 32, `RealFft` is faster.
 */
export class SmoothFft {
  readonly size: number;
  readonly #factors: readonly number[];
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  readonly #spareRe: Float64Array;
  readonly #spareIm: Float64Array;

  constructor(size: number) {
    this.size = size;
    this.#factors = factorise(size);
    this.#cos = Float64Array.from({ length: size }, (_, k) => Math.cos((2 * Math.PI * k) / size));
    this.#sin = Float64Array.from({ length: size }, (_, k) => -Math.sin((2 * Math.PI * k) / size));
    this.#spareRe = new Float64Array(size);
    this.#spareIm = new Float64Array(size);
  }

  /** Transforms `re`, `im` in place, without scaling. */
  transform(re: Float64Array, im: Float64Array): void {
    let from = [re, im] as const;
    let to = [this.#spareRe, this.#spareIm] as const;
    let length = this.size;
    let stride = 1;
    for (const radix of this.#factors) {
      this.#pass(from, to, { radix, length, stride });
      [from, to] = [to, from];
      length /= radix;
      stride *= radix;
    }
    if (from[0] !== re) {
      re.set(from[0]);
      im.set(from[1]);
    }
  }

  #pass(
    from: readonly [Float64Array, Float64Array],
    to: readonly [Float64Array, Float64Array],
    { radix, length, stride }: { radix: number; length: number; stride: number },
  ): void {
    const [fromRe, fromIm] = from;
    const [toRe, toIm] = to;
    const { size } = this;
    const cos = this.#cos;
    const sin = this.#sin;
    const blocks = length / radix;
    const rootStep = size / radix;
    for (let p = 0; p < blocks; p++) {
      for (let k = 0; k < radix; k++) {
        const turnRe = cos[p * k * stride]!;
        const turnIm = sin[p * k * stride]!;
        const target = stride * (radix * p + k);
        for (let q = 0; q < stride; q++) {
          let sumRe = 0;
          let sumIm = 0;
          for (let j = 0, root = 0, at = q + stride * p; j < radix; j++, at += stride * blocks) {
            sumRe += fromRe[at]! * cos[root]! - fromIm[at]! * sin[root]!;
            sumIm += fromRe[at]! * sin[root]! + fromIm[at]! * cos[root]!;
            root += k * rootStep;
            if (root >= size) root -= size;
          }
          toRe[target + q] = sumRe * turnRe - sumIm * turnIm;
          toIm[target + q] = sumRe * turnIm + sumIm * turnRe;
        }
      }
    }
  }
}

function factorise(size: number): number[] {
  const factors: number[] = [];
  let rest = size;
  for (const radix of [4, 2, 3, 5, 7]) {
    while (rest % radix === 0) {
      factors.push(radix);
      rest /= radix;
    }
  }
  if (size < 1 || rest !== 1) throw new RangeError(`FFT size ${size} has a prime factor above 7`);
  return factors;
}
