import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RealFft } from "./real-fft.ts";

const signals = fc
  .integer({ min: 1, max: 12 })
  .chain((power) =>
    fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2 ** power, maxLength: 2 ** power }),
  )
  .map((values) => Float64Array.from(values));

function transform(signal: Float64Array): { fft: RealFft; re: Float64Array; im: Float64Array } {
  const fft = new RealFft(signal.length);
  const re = new Float64Array(fft.binCount);
  const im = new Float64Array(fft.binCount);
  fft.forward(signal, re, im);
  return { fft, re, im };
}

describe("RealFft", () => {
  it("gives the signal back: inverse ∘ forward = id", () => {
    fc.assert(
      fc.property(signals, (signal) => {
        const { fft, re, im } = transform(signal);
        const back = new Float64Array(signal.length);
        fft.inverse(re, im, back);
        for (let n = 0; n < signal.length; n++) expect(Math.abs(back[n]! - signal[n]!)).toBeLessThan(1e-12);
      }),
      { numRuns: 40 },
    );
  });

  it("ignores imaginary parts that no real signal has", () => {
    const { fft, re, im } = transform(Float64Array.of(1, 2, 3, 5));
    im[0] = 7;
    im[2] = -3;
    const back = new Float64Array(4);
    fft.inverse(re, im, back);
    [1, 2, 3, 5].forEach((value, n) => {
      expect(back[n]).toBeCloseTo(value, 12);
    });
  });

  it("keeps the energy (Parseval)", () => {
    fc.assert(
      fc.property(signals, (signal) => {
        const { re, im } = transform(signal);
        const last = re.length - 1;
        let spectral = 0;
        for (let k = 0; k <= last; k++) {
          spectral += (k === 0 || k === last ? 1 : 2) * (re[k]! ** 2 + im[k]! ** 2);
        }
        const energy = signal.reduce((sum, value) => sum + value * value, 0);
        expect(spectral / signal.length).toBeCloseTo(energy, 8);
      }),
      { numRuns: 40 },
    );
  });

  it("puts a cosine into its own bin alone", () => {
    const size = 4096;
    const { re, im } = transform(
      Float64Array.from({ length: size }, (_, n) => Math.cos((2 * Math.PI * 37 * n) / size)),
    );
    expect(re[37]).toBeCloseTo(size / 2, 8);
    const rest = re.reduce((sum, value, k) => sum + (k === 37 ? 0 : Math.abs(value)) + Math.abs(im[k]!), 0);
    expect(rest).toBeLessThan(1e-8);
  });
});
