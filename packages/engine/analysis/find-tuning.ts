import { BANDS_PER_SEMITONE, STEP_BANDS } from "../networks/music-analyser/music-features.ts";

/** Bands from 260 Hz, where a semitone is wider than the transform's lobes, to 2.1 kHz. */
const FIRST_BAND = 97;
const LAST_BAND = Math.min(STEP_BANDS - 2, 205);

/** The step's peaks as vectors whose angle is their distance from a tempered note, and the sum of their lengths. */
export function toTuningVector(bands: Float32Array): [number, number, number] {
  let [re, im, total] = [0, 0, 0];
  for (let band = FIRST_BAND; band <= LAST_BAND; band++) {
    const level = bands[band]!;
    const [below, above] = [bands[band - 1]!, bands[band + 1]!];
    if (level < below || level <= above) continue;
    const bend = below - 2 * level + above;
    const place = band + (bend < 0 ? (0.5 * (below - above)) / bend : 0);
    const weight = Math.max(0, level - Math.min(below, above)) * level;
    const angle = (2 * Math.PI * (place - 1)) / BANDS_PER_SEMITONE;
    re += weight * Math.cos(angle);
    im += weight * Math.sin(angle);
    total += weight;
  }
  return [re, im, total];
}

/** Cents above A = 440 Hz, −50 to 50; null if peaks are as often between notes as on them. */
export function toTuningCents(re: number, im: number, total: number): number | null {
  if (total <= 0 || Math.hypot(re, im) < 0.15 * total) return null;
  return Math.round((50 * Math.atan2(im, re)) / Math.PI);
}
