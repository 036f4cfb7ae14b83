import type { Band } from "./bands.ts";

/**
 * Multiplies a spectrum by a stem's masks. Both hold complex values: the spectrum `[slots, bins × channels]`, the masks `[slots, bands]` of each band's
 * bins × channels. Where bands overlap, their masks are averaged.
 */
export function applyBandMasks(work: {
  bands: readonly Band[];
  channels: number;
  spectrum: Float32Array;
  masks: Float32Array;
  slotCount: number;
  into: Float32Array;
}): void {
  const { bands, channels, spectrum, masks, slotCount, into } = work;
  const size = spectrum.length / slotCount;
  const maskSize = masks.length / slotCount;
  const shares = makeShares(bands, { channels, size });
  const sum = new Float32Array(size);
  for (let slot = 0; slot < slotCount; slot++) {
    sum.fill(0);
    let mask = slot * maskSize;
    for (const { firstBin, bins } of bands) {
      const from = firstBin * channels * 2;
      const to = from + bins * channels * 2;
      for (let at = from; at < to; at++) sum[at]! += masks[mask++]!;
    }
    const start = slot * size;
    for (let at = 0; at < size; at += 2) {
      const re = sum[at]! * shares[at]!;
      const im = sum[at + 1]! * shares[at]!;
      const mixRe = spectrum[start + at]!;
      const mixIm = spectrum[start + at + 1]!;
      into[start + at] = mixRe * re - mixIm * im;
      into[start + at + 1] = mixRe * im + mixIm * re;
    }
  }
}

/** One over the number of bands at each value. */
function makeShares(
  bands: readonly Band[],
  { channels, size }: { channels: number; size: number },
): Float32Array {
  const counts = new Float32Array(size);
  for (const { firstBin, bins } of bands)
    for (let at = firstBin * channels * 2; at < (firstBin + bins) * channels * 2; at++) counts[at]! += 1;
  return counts.map((count) => (count === 0 ? 0 : 1 / count));
}
