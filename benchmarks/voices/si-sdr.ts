const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, n) => sum + value * (b[n] ?? 0), 0);

export function findSiSdr(truth: Float32Array, estimate: Float32Array): number {
  const scale = dot(truth, estimate) / Math.max(dot(truth, truth), 1e-12);
  const signal = scale * scale * dot(truth, truth);
  const error = dot(estimate, estimate) - signal;
  return 10 * Math.log10(Math.max(signal, 1e-12) / Math.max(error, 1e-12));
}

/** The mean improvement over the mixture, each reference with another voice, so that the sum is highest; 0 for references without one. */
export function findImprovement(
  truths: readonly Float32Array[],
  mix: Float32Array,
  voices: readonly Float32Array[],
): number {
  const gains = truths.map((truth) => {
    const before = findSiSdr(truth, mix);
    return voices.map((voice) => findSiSdr(truth, voice) - before);
  });
  const best = (row: number, taken: readonly number[], missing: number): number => {
    const gainsOfOne = gains[row];
    if (gainsOfOne === undefined) return 0;
    const ways = gainsOfOne.flatMap((gain, voice) =>
      taken.includes(voice) ? [] : [gain + best(row + 1, [...taken, voice], missing)],
    );
    if (missing > 0) ways.push(best(row + 1, taken, missing - 1));
    return Math.max(...ways);
  };
  return best(0, [], Math.max(0, truths.length - voices.length)) / truths.length;
}
