/** Periodic Hann window: the squares of its copies shifted by size / 4 sum to 1.5 everywhere. */
export function makeHannWindow(size: number): Float64Array {
  return Float64Array.from({ length: size }, (_, n) => 0.5 * (1 - Math.cos((2 * Math.PI * n) / size)));
}
