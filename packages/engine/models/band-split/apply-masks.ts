import type { BandGroup } from "./graph/build-network.ts";
import { BIN_COUNT } from "./window-spectrum.ts";

/** Re and im of the factor for the middle, re and im of that for the side. */
export const MASK_PARTS = 4;

/** What the network gives: for each group `[bands, slots, stems × 4 × bins of a band]`. */
export type Masks = { groups: readonly BandGroup[]; values: readonly Float32Array[]; stemCount: number };

/**
 * Lays the masks of one stem over the mix; both spectra are `[4, slots, bins]`: left re, left im, right re, right im. Here and not in
 * the graph, which would write each of twenty intermediate results to memory.
 */
export function applyMasks(
  { groups, values, stemCount }: Masks,
  { mix, stem, into }: { mix: Float32Array; stem: number; into: Float32Array },
): void {
  const slots = mix.length / 4 / BIN_COUNT;
  groups.forEach(({ bands, binsPerBand, firstBin }, index) => {
    const masks = values[index]!;
    const stride = MASK_PARTS * binsPerBand;
    for (let band = 0; band < bands; band++) {
      const bandBin = firstBin + band * binsPerBand;
      // The last band reaches beyond the spectrum.
      const bins = Math.min(binsPerBand, BIN_COUNT - bandBin);
      for (let slot = 0; slot < slots; slot++) {
        const mask = ((band * slots + slot) * stemCount + stem) * stride;
        applyRow({ masks, mask, binsPerBand, mix, into, at: slot * BIN_COUNT + bandBin, bins });
      }
    }
  });
}

/** The bins of one band in one slot: the factors from `mask` on, the spectra from `at` on. */
function applyRow(row: {
  masks: Float32Array;
  mask: number;
  binsPerBand: number;
  mix: Float32Array;
  into: Float32Array;
  at: number;
  bins: number;
}): void {
  const { masks, mask, binsPerBand, mix, into, at, bins } = row;
  const plane = mix.length / 4;
  for (let bin = 0; bin < bins; bin++) {
    const m = mask + bin;
    const n = at + bin;
    // Half of sum and difference: the turns to middle and side and back in one.
    const middleRe = (mix[n]! + mix[n + 2 * plane]!) / 2;
    const middleIm = (mix[n + plane]! + mix[n + 3 * plane]!) / 2;
    const sideRe = (mix[n]! - mix[n + 2 * plane]!) / 2;
    const sideIm = (mix[n + plane]! - mix[n + 3 * plane]!) / 2;
    const gainRe = masks[m]!;
    const gainIm = masks[m + binsPerBand]!;
    const sideGainRe = masks[m + 2 * binsPerBand]!;
    const sideGainIm = masks[m + 3 * binsPerBand]!;
    const re = gainRe * middleRe - gainIm * middleIm;
    const im = gainRe * middleIm + gainIm * middleRe;
    const otherRe = sideGainRe * sideRe - sideGainIm * sideIm;
    const otherIm = sideGainRe * sideIm + sideGainIm * sideRe;
    into[n] = re + otherRe;
    into[n + plane] = im + otherIm;
    into[n + 2 * plane] = re - otherRe;
    into[n + 3 * plane] = im - otherIm;
  }
}
