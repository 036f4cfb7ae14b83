/** The lowest and highest sample of each block over all channels, as pairs of bytes: full scale is -128 to 127. */
export function measurePeaks(planes: readonly Float32Array[], rangeFrames: number): Int8Array {
  const lengthFrames = planes[0]?.length ?? 0;
  const count = Math.ceil(lengthFrames / rangeFrames);
  const pairs = new Int8Array(2 * count);
  for (let index = 0; index < count; index++) {
    const from = index * rangeFrames;
    const to = Math.min(lengthFrames, from + rangeFrames);
    let low = 0;
    let high = 0;
    for (const plane of planes) {
      for (let n = from; n < to; n++) {
        const value = plane[n]!;
        if (value < low) low = value;
        else if (value > high) high = value;
      }
    }
    pairs[2 * index] = Math.max(-128, Math.floor(low * 128));
    pairs[2 * index + 1] = Math.min(127, Math.ceil(high * 127));
  }
  return pairs;
}

/** The peaks of blocks `factor` times as long. */
export function joinPeaks(pairs: Int8Array, factor: number): Int8Array {
  const joined = new Int8Array(2 * Math.ceil(pairs.length / 2 / factor));
  for (let n = 0; n < pairs.length; n += 2) {
    const at = 2 * Math.floor(n / 2 / factor);
    joined[at] = Math.min(joined[at]!, pairs[n]!);
    joined[at + 1] = Math.max(joined[at + 1]!, pairs[n + 1]!);
  }
  return joined;
}

/** The largest absolute sample. */
export function findPeak(planes: readonly Float32Array[]): number {
  let peak = 0;
  for (const plane of planes) {
    // By index: an iterator takes several times as long.
    for (let n = 0; n < plane.length; n++) {
      const value = Math.abs(plane[n]!);
      if (value > peak) peak = value;
    }
  }
  return peak;
}
