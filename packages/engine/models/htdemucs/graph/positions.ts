const LONGEST_PERIOD = 10_000;

/** Position codes of a sequence, `[length, width]`: cosines in the first half, sines in the second. */
export function makeSequencePositions(length: number, width: number): Float32Array {
  const half = width / 2;
  const periods = Array.from({ length: half }, (_, index) => LONGEST_PERIOD ** (index / (half - 1)));
  const codes = new Float32Array(length * width);
  for (let at = 0; at < length; at++) {
    periods.forEach((period, index) => {
      codes[at * width + index] = Math.cos(at / period);
      codes[at * width + half + index] = Math.sin(at / period);
    });
  }
  return codes;
}

/** Position codes of a grid, `[slots, bins, width]`: the first half tells the slot, the second the bin. */
export function makeGridPositions(slots: number, bins: number, width: number): Float32Array {
  const half = width / 2;
  const rates = Array.from({ length: half }, (_, index) => LONGEST_PERIOD ** (-(index - (index % 2)) / half));
  const binCodes = Array.from({ length: bins }, (_, bin) => makeCode(bin, rates));
  const codes = new Float32Array(slots * bins * width);
  for (let slot = 0; slot < slots; slot++) {
    const slotCode = makeCode(slot, rates);
    binCodes.forEach((binCode, bin) => {
      const start = (slot * bins + bin) * width;
      codes.set(slotCode, start);
      codes.set(binCode, start + half);
    });
  }
  return codes;
}

/** Sines and cosines in turn, slower from pair to pair. */
function makeCode(position: number, rates: readonly number[]): Float32Array {
  return Float32Array.from(rates, (rate, index) =>
    index % 2 === 0 ? Math.sin(position * rate) : Math.cos(position * rate),
  );
}
