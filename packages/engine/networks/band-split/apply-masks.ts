import type { BandGroup } from "./graph/build-network.ts";
import type { PlaneCount } from "./graph/trained-weights.ts";

/** The network's output: for each group of bands `[bands, slots, stems × planes × bins per band]`. */
export type Masks = { groups: readonly BandGroup[]; values: readonly Float32Array[]; stemCount: number };

/** One band in one slot: its mask values start at `mask`, its spectrum values at `at`. */
type Row = {
  masks: Float32Array;
  mask: number;
  binsPerBand: number;
  mix: Float32Array;
  into: Float32Array;
  at: number;
  bins: number;
};

const ROWS: Record<PlaneCount, (row: Row) => void> = { 2: applyMonoRow, 4: applyStereoRow };

/**
 * Applies the masks of one stem to the mix. Both spectra are `[planes, slots, bins]`: real and imaginary part of each channel. Done here and not
 * in the graph, which would write each of twenty intermediate results to memory.
 */
export function applyMasks(
  { groups, values, stemCount }: Masks,
  work: { mix: Float32Array; stem: number; into: Float32Array; planes: PlaneCount; binCount: number },
): void {
  const { mix, stem, into, planes, binCount } = work;
  const slots = mix.length / planes / binCount;
  const applyRow = ROWS[planes];
  groups.forEach(({ bands, binsPerBand, firstBin }, index) => {
    const masks = values[index]!;
    const stride = planes * binsPerBand;
    for (let band = 0; band < bands; band++) {
      const bandBin = firstBin + band * binsPerBand;
      // The last band extends beyond the spectrum.
      const bins = Math.min(binsPerBand, binCount - bandBin);
      for (let slot = 0; slot < slots; slot++) {
        const mask = ((band * slots + slot) * stemCount + stem) * stride;
        applyRow({ masks, mask, binsPerBand, mix, into, at: slot * binCount + bandBin, bins });
      }
    }
  });
}

function applyMonoRow({ masks, mask, binsPerBand, mix, into, at, bins }: Row): void {
  const plane = mix.length / 2;
  for (let bin = 0; bin < bins; bin++) {
    const gainRe = masks[mask + bin]!;
    const gainIm = masks[mask + bin + binsPerBand]!;
    const re = mix[at + bin]!;
    const im = mix[at + bin + plane]!;
    into[at + bin] = gainRe * re - gainIm * im;
    into[at + bin + plane] = gainRe * im + gainIm * re;
  }
}

/** Stereo masks apply to mid and side. */
function applyStereoRow({ masks, mask, binsPerBand, mix, into, at, bins }: Row): void {
  const plane = mix.length / 4;
  for (let bin = 0; bin < bins; bin++) {
    const m = mask + bin;
    const n = at + bin;
    // Halving here covers the conversions to mid/side and back.
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
