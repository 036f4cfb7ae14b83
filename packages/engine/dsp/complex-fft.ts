/**
 * Forward complex transform of a power-of-two size: Stockham's self-sorting form, radix 4 with one radix-2
 * pass where the size is an odd power of two. It needs no bit reversal and reads and writes in order.
 * The inverse is the same transform with the real and imaginary arrays swapped, up to the factor 1 / size.
 */
export class ComplexFft {
  readonly size: number;
  readonly #cos: Float64Array;
  readonly #sin: Float64Array;
  readonly #spareRe: Float64Array;
  readonly #spareIm: Float64Array;

  constructor(size: number) {
    if (size < 1 || (size & (size - 1)) !== 0) throw new RangeError(`FFT size ${size} is not a power of two`);
    this.size = size;
    this.#cos = new Float64Array(size);
    this.#sin = new Float64Array(size);
    for (let k = 0; k < size; k++) {
      this.#cos[k] = Math.cos((2 * Math.PI * k) / size);
      this.#sin[k] = -Math.sin((2 * Math.PI * k) / size);
    }
    this.#spareRe = new Float64Array(size);
    this.#spareIm = new Float64Array(size);
  }

  /** Transforms `re`, `im` in place, without scaling. */
  transform(re: Float64Array, im: Float64Array): void {
    let fromRe = re;
    let fromIm = im;
    let toRe = this.#spareRe;
    let toIm = this.#spareIm;
    let length = this.size;
    let stride = 1;
    while (length > 1) {
      if (length === 2) {
        radix2(fromRe, fromIm, toRe, toIm, stride);
        length = 1;
      } else {
        this.#radix4(fromRe, fromIm, toRe, toIm, length, stride);
        length >>= 2;
        stride <<= 2;
      }
      [fromRe, toRe] = [toRe, fromRe];
      [fromIm, toIm] = [toIm, fromIm];
    }
    if (fromRe !== re) {
      re.set(fromRe);
      im.set(fromIm);
    }
  }

  #radix4(
    fromRe: Float64Array,
    fromIm: Float64Array,
    toRe: Float64Array,
    toIm: Float64Array,
    length: number,
    stride: number,
  ): void {
    const quarter = length >> 2;
    const step = stride * quarter;
    for (let p = 0; p < quarter; p++) {
      // The twiddle of length n at p is the one of the whole size at p * stride.
      const w1re = this.#cos[p * stride]!;
      const w1im = this.#sin[p * stride]!;
      const w2re = this.#cos[2 * p * stride]!;
      const w2im = this.#sin[2 * p * stride]!;
      const w3re = this.#cos[3 * p * stride]!;
      const w3im = this.#sin[3 * p * stride]!;
      const source = stride * p;
      const target = stride * 4 * p;
      for (let q = 0; q < stride; q++) {
        const a = source + q;
        const b = a + step;
        const c = b + step;
        const d = c + step;
        const sumAcRe = fromRe[a]! + fromRe[c]!;
        const sumAcIm = fromIm[a]! + fromIm[c]!;
        const difAcRe = fromRe[a]! - fromRe[c]!;
        const difAcIm = fromIm[a]! - fromIm[c]!;
        const sumBdRe = fromRe[b]! + fromRe[d]!;
        const sumBdIm = fromIm[b]! + fromIm[d]!;
        const difBdRe = fromRe[b]! - fromRe[d]!;
        const difBdIm = fromIm[b]! - fromIm[d]!;
        const y0 = target + q;
        const y1 = y0 + stride;
        const y2 = y1 + stride;
        const y3 = y2 + stride;
        toRe[y0] = sumAcRe + sumBdRe;
        toIm[y0] = sumAcIm + sumBdIm;
        const t1re = difAcRe + difBdIm;
        const t1im = difAcIm - difBdRe;
        toRe[y1] = t1re * w1re - t1im * w1im;
        toIm[y1] = t1re * w1im + t1im * w1re;
        const t2re = sumAcRe - sumBdRe;
        const t2im = sumAcIm - sumBdIm;
        toRe[y2] = t2re * w2re - t2im * w2im;
        toIm[y2] = t2re * w2im + t2im * w2re;
        const t3re = difAcRe - difBdIm;
        const t3im = difAcIm + difBdRe;
        toRe[y3] = t3re * w3re - t3im * w3im;
        toIm[y3] = t3re * w3im + t3im * w3re;
      }
    }
  }
}

function radix2(
  fromRe: Float64Array,
  fromIm: Float64Array,
  toRe: Float64Array,
  toIm: Float64Array,
  stride: number,
): void {
  for (let q = 0; q < stride; q++) {
    const aRe = fromRe[q]!;
    const aIm = fromIm[q]!;
    const bRe = fromRe[q + stride]!;
    const bIm = fromIm[q + stride]!;
    toRe[q] = aRe + bRe;
    toIm[q] = aIm + bIm;
    toRe[q + stride] = aRe - bRe;
    toIm[q + stride] = aIm - bIm;
  }
}
