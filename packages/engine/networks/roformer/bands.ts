import { makeMelFilters } from "../../dsp/transforms/mel-filters.ts";
import type { RoformerDimensions } from "./read-dimensions.ts";

/** Consecutive bins of the spectrum. */
export type Band = { firstBin: number; bins: number };

/** The bands of a Band-Split RoFormer follow one another; those of a Mel-Band RoFormer overlap. */
export function listBands(
  { kind, bandSizes }: Pick<RoformerDimensions, "kind" | "bandSizes">,
  transform: { channels: number; fftSize: number; sampleRateHz: number },
): Band[] {
  if (kind === "mel") return listMelBands({ ...transform, bandCount: bandSizes.length });
  let firstBin = 0;
  return bandSizes.map((size) => {
    const band = { firstBin, bins: size / 2 / transform.channels };
    firstBin += band.bins;
    return band;
  });
}

/** The bins under each filter of librosa's table; the first and the last bin count, although their weight is 0. */
function listMelBands(shape: { bandCount: number; fftSize: number; sampleRateHz: number }): Band[] {
  const filters = makeMelFilters({ ...shape, melCount: shape.bandCount });
  const last = filters.length - 1;
  const top = shape.fftSize / 2;
  return filters.map(({ firstBin, weights }, index) => {
    const from = index === 0 ? 0 : firstBin;
    const to = index === last ? top + 1 : firstBin + weights.length;
    return { firstBin: from, bins: to - from };
  });
}
