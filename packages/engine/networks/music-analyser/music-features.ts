import { release } from "../../dsp/release.ts";
import type { FrameSource } from "../../dsp/sources/frame-source.ts";
import { PowerSpectrum } from "../../dsp/transforms/power-spectrum.ts";

/** Fixed by training: `training/networks/music_analyser.py` has the same numbers. */
export const ANALYSIS_RATE_HZ = 22_050;
/** A step is the time resolution of chords and keys, a slot that of beats, five times as fine. */
export const ANALYSIS_STEP_FRAMES = 2205;
export const SLOTS_PER_STEP = 5;
const SLOT_WINDOW = 1024;
const STEP_WINDOW = 8192;
export const SLOT_BANDS = 96;
export const STEP_BANDS = 252;
export const BANDS_PER_SEMITONE = 3;
const SLOT_LOW_HZ = 30;
const SLOT_HIGH_HZ = 10_500;
/** A third of a semitone below E1; band 1 is E1 in tune. */
const STEP_LOW_HZ = 440 * 2 ** ((28 - 69 - 1 / 3) / 12);
const QUIETEST_POWER = 1e-4;
/** Steps with less of the loudest step's power than this do not count for the level. */
const SOUNDING_SHARE = 1e-3;
/** −70 dBFS: what is softer counts as silence and is not amplified to the level of music. */
const LEVEL_MIN = 3e-4;

export type StepRange = { firstStep: number; stepCount: number };
/** Slots of `SLOT_BANDS` values and steps of `STEP_BANDS`. */
export type MusicFeatures = { slots: Float32Array; steps: Float32Array };

type Triangle = { firstBin: number; weights: Float32Array };

/** The network's inputs: two spectra, one fine in time, one fine in pitch, of sound levelled to RMS 1. */
export class MusicFeatureReader {
  readonly #slotSpectrum = new PowerSpectrum({
    fftSize: SLOT_WINDOW,
    hopFrames: ANALYSIS_STEP_FRAMES / SLOTS_PER_STEP,
  });
  readonly #stepSpectrum = new PowerSpectrum({ fftSize: STEP_WINDOW, hopFrames: ANALYSIS_STEP_FRAMES });
  readonly #slotTriangles = makeTriangles(listSlotCenters(), SLOT_WINDOW);
  readonly #stepTriangles = makeTriangles(listStepCenters(), STEP_WINDOW);

  read(recording: FrameSource, { firstStep, stepCount }: StepRange): MusicFeatures {
    const level = measureLevel(recording, { firstStep, stepCount });
    const slots = { firstSlot: firstStep * SLOTS_PER_STEP, slotCount: stepCount * SLOTS_PER_STEP };
    const steps = { firstSlot: firstStep, slotCount: stepCount };
    const read = (spectrum: PowerSpectrum, size: number, of: typeof slots) => ({
      power: spectrum.read(recording, of),
      binCount: spectrum.binCount,
      // The window is scaled to sum 1; Hann's is half its length.
      scale: 1 / (level * (size / 2)) ** 2,
    });
    return {
      slots: toLogBands(read(this.#slotSpectrum, SLOT_WINDOW, slots), this.#slotTriangles),
      steps: toLogBands(read(this.#stepSpectrum, STEP_WINDOW, steps), this.#stepTriangles),
    };
  }
}

/** The RMS of the steps that sound. */
function measureLevel(recording: FrameSource, { firstStep, stepCount }: StepRange): number {
  const planes = recording.read(firstStep * ANALYSIS_STEP_FRAMES, stepCount * ANALYSIS_STEP_FRAMES);
  const [sound = new Float32Array()] = planes;
  const powers = Float64Array.from({ length: stepCount }, (_, step) => {
    let sum = 0;
    for (let n = step * ANALYSIS_STEP_FRAMES; n < (step + 1) * ANALYSIS_STEP_FRAMES; n++)
      sum += sound[n]! * sound[n]!;
    return sum / ANALYSIS_STEP_FRAMES;
  });
  release(planes);
  const loudest = powers.reduce((a, b) => Math.max(a, b), 0);
  const sounding = powers.filter((power) => power > SOUNDING_SHARE * loudest);
  const mean = sounding.reduce((a, b) => a + b, 0) / Math.max(1, sounding.length);
  return Math.max(LEVEL_MIN, Math.sqrt(mean));
}

function toLogBands(
  { power, binCount, scale }: { power: Float32Array; binCount: number; scale: number },
  triangles: readonly Triangle[],
): Float32Array {
  const rows = power.length / binCount;
  const bands = new Float32Array(rows * triangles.length);
  for (let row = 0; row < rows; row++) {
    for (let band = 0; band < triangles.length; band++) {
      const { firstBin, weights } = triangles[band]!;
      const at = row * binCount + firstBin;
      let sum = 0;
      for (let n = 0; n < weights.length; n++) sum += weights[n]! * power[at + n]!;
      bands[row * triangles.length + band] = Math.log((sum * scale) / QUIETEST_POWER + 1) / 4;
    }
  }
  return bands;
}

/** Evenly spaced on the mel scale of HTK, with a neighbour on each side. */
function listSlotCenters(): number[] {
  const toMel = (hz: number) => 2595 * Math.log10(1 + hz / 700);
  const [low, high] = [toMel(SLOT_LOW_HZ), toMel(SLOT_HIGH_HZ)];
  return Array.from({ length: SLOT_BANDS + 2 }, (_, n) => {
    const mel = low + ((high - low) * n) / (SLOT_BANDS + 1);
    return 700 * (10 ** (mel / 2595) - 1);
  });
}

function listStepCenters(): number[] {
  return Array.from(
    { length: STEP_BANDS + 2 },
    (_, n) => STEP_LOW_HZ * 2 ** ((n - 1) / (12 * BANDS_PER_SEMITONE)),
  );
}

/** Each triangle reaches its neighbours' centres, or the neighbouring bins where those are further; its weights sum to 1. */
function makeTriangles(centersHz: readonly number[], window: number): Triangle[] {
  const binHz = ANALYSIS_RATE_HZ / window;
  return centersHz.slice(1, -1).map((center, band) => {
    const low = Math.min(centersHz[band]!, center - binHz);
    const high = Math.max(centersHz[band + 2]!, center + binHz);
    const firstBin = Math.max(0, Math.floor(low / binHz));
    const lastBin = Math.min(window / 2, Math.ceil(high / binHz));
    const weights = Float64Array.from({ length: lastBin - firstBin + 1 }, (_, n) => {
      const hz = (firstBin + n) * binHz;
      return Math.max(0, Math.min((hz - low) / (center - low), (high - hz) / (high - center)));
    });
    const sum = weights.reduce((a, b) => a + b, 0);
    return { firstBin, weights: Float32Array.from(weights, (weight) => weight / sum) };
  });
}
