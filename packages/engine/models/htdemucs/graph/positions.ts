const LONGEST_PERIOD = 10_000;

/** Position codes of a sequence, `[length, width]`: cosines in the first half, sines in the second. */
export function makeSequencePositions(length: number, width: number): Float32Array {
  const half = width / 2;
  const codes = new Float32Array(length * width);
  for (let at = 0; at < length; at++) {
    for (let index = 0; index < half; index++) {
      const phase = at / LONGEST_PERIOD ** (index / (half - 1));
      codes[at * width + index] = Math.cos(phase);
      codes[at * width + half + index] = Math.sin(phase);
    }
  }
  return codes;
}

/** Position codes of a grid, `[slots, bins, width]`: the first half tells the slot, the second the bin. */
export function makeGridPositions(slots: number, bins: number, width: number): Float32Array {
  const half = width / 2;
  const codes = new Float32Array(slots * bins * width);
  for (let slot = 0; slot < slots; slot++) {
    for (let bin = 0; bin < bins; bin++) {
      const code = codes.subarray((slot * bins + bin) * width, (slot * bins + bin + 1) * width);
      for (let index = 0; index < half; index += 2) {
        const rate = LONGEST_PERIOD ** (-index / half);
        code[index] = Math.sin(slot * rate);
        code[index + 1] = Math.cos(slot * rate);
        code[half + index] = Math.sin(bin * rate);
        code[half + index + 1] = Math.cos(bin * rate);
      }
    }
  }
  return codes;
}
