import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RealFft } from "./real-fft.ts";

/** Sizes with factors 2, 3 and 5, small enough to sum by definition. */
const signals = fc
  .constantFrom(32, 64, 96, 160, 256, 480, 512)
  .chain((size) =>
    fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: size, maxLength: size }),
  )
  .map((values) => Float32Array.from(values));

function transform(signal: Float32Array): { fft: RealFft; re: Float32Array; im: Float32Array } {
  const fft = new RealFft(signal.length);
  fft.signal.set(signal);
  fft.forward();
  const { spectrum } = fft;
  const half = signal.length / 2;
  const re = Float32Array.from({ length: half + 1 }, (_, k) => spectrum[k === half ? 1 : 2 * k]!);
  const im = Float32Array.from({ length: half + 1 }, (_, k) => (k % half === 0 ? 0 : spectrum[2 * k + 1]!));
  return { fft, re, im };
}

describe("RealFft", () => {
  it("equals the DFT by definition", () => {
    fc.assert(
      fc.property(signals, (signal) => {
        const { re, im } = transform(signal);
        for (let k = 0; k < re.length; k++) {
          let sumRe = 0;
          let sumIm = 0;
          signal.forEach((value, n) => {
            sumRe += value * Math.cos((2 * Math.PI * k * n) / signal.length);
            sumIm -= value * Math.sin((2 * Math.PI * k * n) / signal.length);
          });
          expect(Math.abs(re[k]! - sumRe)).toBeLessThan(1e-4);
          expect(Math.abs(im[k]! - sumIm)).toBeLessThan(1e-4);
        }
      }),
      { numRuns: 20 },
    );
  });

  it("the inverse restores the signal, scaled by `size`", () => {
    fc.assert(
      fc.property(signals, (signal) => {
        const { fft } = transform(signal);
        fft.inverse();
        fft.signal.forEach((value, n) => {
          expect(Math.abs(value / signal.length - signal[n]!)).toBeLessThan(1e-6);
        });
      }),
      { numRuns: 40 },
    );
  });

  it("puts a cosine into its own bin only", () => {
    const size = 4096;
    const { re, im } = transform(
      Float32Array.from({ length: size }, (_, n) => Math.cos((2 * Math.PI * 37 * n) / size)),
    );
    expect(re[37]).toBeCloseTo(size / 2, 2);
    for (let k = 0; k < re.length; k++) {
      // −120 dB relative to the bin: the resolution of 32-bit floats.
      if (k !== 37) expect(Math.hypot(re[k]!, im[k]!)).toBeLessThan(size * 5e-7);
    }
  });

  it("rejects unsupported sizes", () => {
    for (const size of [0, 16, 48, 7 * 32]) expect(() => new RealFft(size)).toThrow(RangeError);
  });
});
