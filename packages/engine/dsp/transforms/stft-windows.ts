import { makeHannWindow } from "./hann-window.ts";

/** `orthonormal` scales by 1 / sqrt(fftSize), like `normalized=True` in torch.stft. */
export type StftShape = { fftSize: number; hopFrames: number; scaling: "orthonormal" | "none" };

/** Analysis and synthesis windows; the latter for an inverse transform that does not divide by its size. */
export function makeStftWindows({ fftSize, hopFrames, scaling }: StftShape): {
  analysis: Float32Array;
  synthesis: Float32Array;
} {
  const overlap = fftSize / hopFrames;
  if (!Number.isInteger(overlap) || overlap < 2) {
    throw new RangeError(`hop ${hopFrames} of ${fftSize}: the windows do not cover the signal evenly`);
  }
  const window = makeHannWindow(fftSize);
  const scale = scaling === "orthonormal" ? Math.sqrt(fftSize) : 1;
  // The sum of the squared windows that overlap at a frame; it has the period of the hop.
  const power = (n: number) =>
    Array.from({ length: overlap }, (_, k) => window[(n % hopFrames) + k * hopFrames]! ** 2).reduce(
      (a, b) => a + b,
    );
  return {
    analysis: Float32Array.from(window, (value) => value / scale),
    synthesis: Float32Array.from(window, (value, n) => (value * scale) / (power(n) * fftSize)),
  };
}
