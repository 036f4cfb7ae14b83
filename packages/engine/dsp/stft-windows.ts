import { makeHannWindow } from "./hann-window.ts";

/** `orthonormal` scales by 1 / sqrt(fftSize), as `normalized=True` of torch.stft. */
export type StftShape = { fftSize: number; hopFrames: number; scaling: "orthonormal" | "none" };

/** What a grain is multiplied by before the transform, and behind an inverse one that does not divide by its size. */
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
  // What the squared windows that meet in a frame sum to; it repeats with the hop.
  const power = (n: number) =>
    Array.from({ length: overlap }, (_, k) => window[(n % hopFrames) + k * hopFrames]! ** 2).reduce(
      (a, b) => a + b,
    );
  return {
    analysis: Float32Array.from(window, (value) => value / scale),
    synthesis: Float32Array.from(window, (value, n) => (value * scale) / (power(n) * fftSize)),
  };
}
