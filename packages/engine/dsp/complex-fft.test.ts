import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ComplexFft } from "./complex-fft.ts";

const sizes = fc.integer({ min: 0, max: 9 }).map((power) => 2 ** power);
const signals = sizes.chain((size) =>
  fc
    .tuple(samples(size), samples(size))
    .map(([re, im]) => ({ re: Float64Array.from(re), im: Float64Array.from(im) })),
);

function samples(size: number) {
  return fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: size, maxLength: size });
}

describe("ComplexFft", () => {
  it("equals the sum it stands for", () => {
    fc.assert(
      fc.property(signals, ({ re, im }) => {
        const expected = sumOfDefinition(re, im);
        new ComplexFft(re.length).transform(re, im);
        for (let k = 0; k < re.length; k++) {
          expect(re[k]).toBeCloseTo(expected.re[k] ?? Number.NaN, 9);
          expect(im[k]).toBeCloseTo(expected.im[k] ?? Number.NaN, 9);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("refuses sizes that are no power of two", () => {
    expect(() => new ComplexFft(12)).toThrow(RangeError);
    expect(() => new ComplexFft(0)).toThrow(RangeError);
  });
});

function sumOfDefinition(re: Float64Array, im: Float64Array): { re: Float64Array; im: Float64Array } {
  const size = re.length;
  const out = { re: new Float64Array(size), im: new Float64Array(size) };
  for (let k = 0; k < size; k++) {
    for (let n = 0; n < size; n++) {
      const angle = (-2 * Math.PI * k * n) / size;
      out.re[k]! += re[n]! * Math.cos(angle) - im[n]! * Math.sin(angle);
      out.im[k]! += re[n]! * Math.sin(angle) + im[n]! * Math.cos(angle);
    }
  }
  return out;
}
