import { atRate } from "../at-rate.ts";
import { listPowerFrames } from "./power-frames.ts";

const RATE_HZ = 16_000;
const SHAPE = { frame: 512, hop: 256, fftSize: 512 };
/** Both are scaled to P.862's listening level. */
const LISTENING_DB = 79;
const BARK_STEP = 0.5;
/** Power-law exponent of Zwicker's loudness. */
const EXPONENT = 0.23;
/** A difference below this share of the smaller loudness is masked. */
const MASKED_SHARE = 0.25;
const WORST = 45;
/** 320 ms, overlapping by half. */
const SPLIT_FRAMES = 20;

/**
 * A score on PESQ's scale, from 4.5 (equal) down, based on the perceptual core of ITU-T P.862 (Rix et al. 2001): power in bands of half a Bark up to 8 kHz,
 * Zwicker's loudness above the threshold of hearing (Terhardt's formula), masked loudness differences, their norms over bands (2; and 1 for additions,
 * weighted by the asymmetry factor), over splits of 320 ms (6) and over time (2), and P.862's weights of the two. Left out: time alignment, since the
 * signals have the same samples; compensation of filters and gain changes; the telephone filter. Its values are not P.862's.
 */
export function findLoudnessScore(truth: Float32Array, estimate: Float32Array, sampleRateHz: number): number {
  const [wanted, given] = [truth, estimate].map((samples) =>
    toBands(atRate(samples, sampleRateHz, RATE_HZ)),
  ) as [number[][], number[][]];
  const frames = wanted.map((bands, frame) => compare(bands, given[frame]!));
  const symmetric = aggregate(frames.map(({ symmetric }) => symmetric));
  const added = aggregate(frames.map(({ added }) => added));
  return 4.5 - 0.1 * symmetric - 0.0309 * added;
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** Traunmüller's formula. */
const toBark = (hz: number) => (26.81 * hz) / (1960 + hz) - 0.53;
const BAND_OF_BIN = Array.from({ length: SHAPE.fftSize / 2 + 1 }, (_, bin) =>
  Math.floor(Math.max(0, toBark((bin * RATE_HZ) / SHAPE.fftSize)) / BARK_STEP),
);
const BANDS = BAND_OF_BIN.at(-1)! + 1;
const THRESHOLDS = Array.from({ length: BANDS }, (_, band) => {
  const bark = (band + 0.5) * BARK_STEP;
  const khz = (1960 * (bark + 0.53)) / (26.28 - bark) / 1000;
  const db = 3.64 * khz ** -0.8 - 6.5 * Math.exp(-0.6 * (khz - 3.3) ** 2) + 1e-3 * khz ** 4;
  return 10 ** (db / 10);
});

/** Power in each band of each frame; 1 is 0 dB SPL. */
function toBands(samples: Float32Array): number[][] {
  const frames = listPowerFrames(samples, SHAPE);
  const bands = frames.map((power) => {
    const sums = new Array<number>(BANDS).fill(0);
    // Speech has nothing below 50 Hz.
    for (let bin = 2; bin < power.length; bin++) sums[BAND_OF_BIN[bin]!]! += power[bin]!;
    return sums;
  });
  const levels = bands.map(sumOf);
  const loudest = levels.reduce((most, level) => Math.max(most, level));
  const active = levels.filter((level) => level > loudest * 1e-4);
  const scale = 10 ** (LISTENING_DB / 10) / (sumOf(active) / active.length);
  return bands.map((sums) => sums.map((value) => value * scale));
}

function toLoudness(power: number, threshold: number): number {
  return Math.max(0, (threshold / 0.5) ** EXPONENT * ((0.5 + (0.5 * power) / threshold) ** EXPONENT - 1));
}

function compare(wanted: readonly number[], given: readonly number[]): { symmetric: number; added: number } {
  let [squares, added] = [0, 0];
  wanted.forEach((power, band) => {
    const threshold = THRESHOLDS[band]!;
    const [truth, estimate] = [toLoudness(power, threshold), toLoudness(given[band]!, threshold)];
    const heard = Math.abs(estimate - truth) - MASKED_SHARE * Math.min(estimate, truth);
    if (heard <= 0) return;
    squares += heard ** 2 * BARK_STEP;
    const ratio = ((given[band]! + 50) / (power + 50)) ** 1.2;
    if (ratio >= 3) added += heard * Math.min(12, ratio) * BARK_STEP;
  });
  const quietness = ((sumOf(wanted) + 1e5) / 1e7) ** 0.04;
  const limit = (value: number) => Math.min(WORST, value / quietness);
  return { symmetric: limit(Math.sqrt(squares)), added: limit(added) };
}

function aggregate(values: readonly number[]): number {
  const splits: number[] = [];
  for (let start = 0; start < values.length; start += SPLIT_FRAMES / 2) {
    const split = values.slice(start, start + SPLIT_FRAMES);
    splits.push((sumOf(split.map((value) => value ** 6)) / split.length) ** (1 / 6));
  }
  return Math.sqrt(sumOf(splits.map((value) => value ** 2)) / splits.length);
}
