import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SmoothFft } from "./smooth-fft.ts";

function plainTransform(re: Float64Array, im: Float64Array): { re: number[]; im: number[] } {
  const size = re.length;
  const sums = Array.from({ length: size }, (_, k) => {
    let sumRe = 0;
    let sumIm = 0;
    for (let n = 0; n < size; n++) {
      const angle = (-2 * Math.PI * ((k * n) % size)) / size;
      sumRe += (re[n] ?? 0) * Math.cos(angle) - (im[n] ?? 0) * Math.sin(angle);
      sumIm += (re[n] ?? 0) * Math.sin(angle) + (im[n] ?? 0) * Math.cos(angle);
    }
    return [sumRe, sumIm] as const;
  });
  return { re: sums.map(([value]) => value), im: sums.map(([, value]) => value) };
}

describe("FFT of sizes that are not powers of two", () => {
  it.each([1, 2, 3, 8, 12, 25, 60, 400])("equals the defining sum at size %i", (size) => {
    const values = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), {
      minLength: size,
      maxLength: size,
    });
    fc.assert(
      fc.property(values, values, (a, b) => {
        const re = Float64Array.from(a);
        const im = Float64Array.from(b);
        const expected = plainTransform(re, im);
        new SmoothFft(size).transform(re, im);
        for (let k = 0; k < size; k++) {
          expect(re[k]).toBeCloseTo(expected.re[k] ?? Number.NaN, 9);
          expect(im[k]).toBeCloseTo(expected.im[k] ?? Number.NaN, 9);
        }
      }),
      { numRuns: size > 100 ? 3 : 20 },
    );
  });

  it("rejects sizes with large prime factors", () => {
    expect(() => new SmoothFft(22)).toThrow("22");
  });
});
