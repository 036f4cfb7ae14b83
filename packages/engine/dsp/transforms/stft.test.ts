import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Spectrogram, Stft } from "./stft.ts";

function makeSpectrogram(binCount: number, slotCount: number): Spectrogram {
  const size = binCount * slotCount;
  const planes = { re: new Float32Array(size), im: new Float32Array(size) };
  return { ...planes, binCount, slotCount, binStride: slotCount, slotStride: 1 };
}

const shapes = fc.record({
  power: fc.integer({ min: 5, max: 9 }),
  overlap: fc.constantFrom(2, 4, 8),
  scaling: fc.constantFrom("orthonormal" as const, "none" as const),
  slotCount: fc.integer({ min: 12, max: 30 }),
  seed: fc.integer({ min: 1, max: 1e6 }),
});

describe("Stft", () => {
  it("restores the signal where all slots cover it: istft ∘ stft = id", () => {
    fc.assert(
      fc.property(shapes, ({ power, overlap, slotCount, seed, scaling }) => {
        const fftSize = 2 ** power;
        const stft = new Stft({ fftSize, hopFrames: fftSize / overlap, scaling });
        const signal = Float32Array.from({ length: stft.lengthFramesOf(slotCount) }, (_, n) =>
          Math.sin(seed + n * n * 0.01),
        );
        const spectrogram = makeSpectrogram(fftSize / 2 + 1, slotCount);
        stft.forward(signal, spectrogram);
        const back = stft.inverse(spectrogram);
        expect(back.length).toBe(signal.length);
        const edge = fftSize - stft.hopFrames;
        for (let n = edge; n < signal.length - edge; n++) {
          expect(Math.abs(back[n]! - signal[n]!)).toBeLessThan(2e-6);
        }
      }),
      { numRuns: 30 },
    );
  });

  it("stores the slots of a bin contiguously", () => {
    const stft = new Stft({ fftSize: 32, hopFrames: 8, scaling: "orthonormal" });
    const spectrogram = makeSpectrogram(16, 5);
    stft.forward(new Float32Array(stft.lengthFramesOf(5)).fill(1), spectrogram);
    // Sum of the Hann window over sqrt(32), in every slot of bin 0.
    for (let slot = 0; slot < 5; slot++) expect(spectrogram.re[slot]).toBeCloseTo(16 / Math.sqrt(32), 6);
    // A constant under a Hann window leaves bins past 1 empty.
    for (let at = 2 * 5; at < 16 * 5; at++) expect(spectrogram.re[at]).toBeCloseTo(0, 6);
  });

  it("stores the bins of a slot contiguously if the strides say so", () => {
    const stft = new Stft({ fftSize: 32, hopFrames: 16, scaling: "none" });
    const spectrogram = { ...makeSpectrogram(17, 3), binStride: 1, slotStride: 17 };
    const signal = Float32Array.from({ length: stft.lengthFramesOf(3) }, (_, n) => Math.cos(n) + n / 10);
    stft.forward(signal, spectrogram);
    for (let slot = 0; slot < 3; slot++) {
      for (let bin = 0; bin < 17; bin++) {
        let re = 0;
        let im = 0;
        for (let n = 0; n < 32; n++) {
          const value = signal[slot * 16 + n]! * (0.5 - 0.5 * Math.cos((2 * Math.PI * n) / 32));
          re += value * Math.cos((2 * Math.PI * bin * n) / 32);
          im -= value * Math.sin((2 * Math.PI * bin * n) / 32);
        }
        expect(spectrogram.re[slot * 17 + bin]).toBeCloseTo(re, 4);
        expect(spectrogram.im[slot * 17 + bin]).toBeCloseTo(im, 4);
      }
    }
  });

  it("rejects a hop at which the windows do not cover the signal evenly", () => {
    expect(() => new Stft({ fftSize: 1024, hopFrames: 1024, scaling: "none" })).toThrow(RangeError);
    expect(() => new Stft({ fftSize: 1024, hopFrames: 300, scaling: "none" })).toThrow(RangeError);
  });
});
