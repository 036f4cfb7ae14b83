/** One triangular filter: weights of the bins from `firstBin` on. */
export type MelFilter = { firstBin: number; weights: Float64Array };

/** Slaney's mel scale: linear below 1 kHz, logarithmic above. */
const LINEAR_END_HZ = 1000;
const MELS_PER_HZ = 3 / 200;
const LINEAR_END_MEL = LINEAR_END_HZ * MELS_PER_HZ;
const LOG_STEP = Math.log(6.4) / 27;

/** Triangular filters of unit area between neighbouring points of the mel scale, like `librosa.filters.mel`. */
export function makeMelFilters(options: {
  melCount: number;
  fftSize: number;
  sampleRateHz: number;
}): MelFilter[] {
  const { melCount, fftSize, sampleRateHz } = options;
  const topMel = toMel(sampleRateHz / 2);
  const edgesHz = Array.from({ length: melCount + 2 }, (_, n) => toHz((topMel * n) / (melCount + 1)));
  return Array.from({ length: melCount }, (_, n) => {
    const [low = 0, centre = 0, high = 0] = edgesHz.slice(n, n + 3);
    // Only the bins that the triangle can reach.
    const lowBin = Math.floor((low * fftSize) / sampleRateHz);
    const highBin = Math.min(fftSize / 2, Math.ceil((high * fftSize) / sampleRateHz));
    const weights = Array.from({ length: highBin - lowBin + 1 }, (_, index) => {
      const hz = ((lowBin + index) * sampleRateHz) / fftSize;
      const rise = (hz - low) / (centre - low);
      const fall = (high - hz) / (high - centre);
      return (Math.max(0, Math.min(rise, fall)) * 2) / (high - low);
    });
    const first = weights.findIndex((weight) => weight > 0);
    const last = weights.findLastIndex((weight) => weight > 0);
    return first < 0
      ? { firstBin: 0, weights: new Float64Array() }
      : { firstBin: lowBin + first, weights: Float64Array.from(weights.slice(first, last + 1)) };
  });
}

function toMel(hz: number): number {
  return hz < LINEAR_END_HZ ? hz * MELS_PER_HZ : LINEAR_END_MEL + Math.log(hz / LINEAR_END_HZ) / LOG_STEP;
}

function toHz(mel: number): number {
  return mel < LINEAR_END_MEL
    ? mel / MELS_PER_HZ
    : LINEAR_END_HZ * Math.exp(LOG_STEP * (mel - LINEAR_END_MEL));
}
