/** Sinusoidal position embeddings of a sequence, `[length, width]`: cosines in the first half, sines in the second. */
export function makeSequencePositions({
  length,
  width,
  longestPeriod,
}: {
  length: number;
  width: number;
  longestPeriod: number;
}): Float32Array {
  const half = width / 2;
  const periods = Array.from({ length: half }, (_, index) => longestPeriod ** (index / (half - 1)));
  const codes = new Float32Array(length * width);
  for (let at = 0; at < length; at++) {
    periods.forEach((period, index) => {
      codes[at * width + index] = Math.cos(at / period);
      codes[at * width + half + index] = Math.sin(at / period);
    });
  }
  return codes;
}

/** Sinusoidal position embeddings of a grid, `[bins, slots, width]`: the first half encodes the slot, the second the bin. */
export function makeGridPositions({
  bins,
  slots,
  width,
  longestPeriod,
}: {
  bins: number;
  slots: number;
  width: number;
  longestPeriod: number;
}): Float32Array {
  const half = width / 2;
  const rates = Array.from({ length: half }, (_, index) => longestPeriod ** (-(index - (index % 2)) / half));
  const slotCodes = Array.from({ length: slots }, (_, slot) => makeCode(slot, rates));
  const codes = new Float32Array(bins * slots * width);
  for (let bin = 0; bin < bins; bin++) {
    const binCode = makeCode(bin, rates);
    slotCodes.forEach((slotCode, slot) => {
      const start = (bin * slots + slot) * width;
      codes.set(slotCode, start);
      codes.set(binCode, start + half);
    });
  }
  return codes;
}

/** Alternating sines and cosines, with decreasing frequency. */
function makeCode(position: number, rates: readonly number[]): Float32Array {
  return Float32Array.from(rates, (rate, index) =>
    index % 2 === 0 ? Math.sin(position * rate) : Math.cos(position * rate),
  );
}
