import type { FrameSource } from "../dsp/sources/frame-source.ts";
import type { MusicAnalyser } from "../networks/music-analyser/music-analyser.ts";
import { HARMONY_OUTPUTS, HARMONY_WIDTH, PULSE_OUTPUTS } from "../networks/music-analyser/music-analyser.ts";
import {
  SLOT_BANDS,
  SLOTS_PER_STEP,
  STEP_BANDS,
  type StepRange,
} from "../networks/music-analyser/music-features.ts";
import { METRE_COUNT } from "./bar-path.ts";
import { toTuningVector } from "./find-tuning.ts";
import { toLogProbabilities } from "./likeliest-course.ts";

/** A step's row: beat and downbeat logits of its slots, then log-probabilities, then what tuning, sections and loudness need. */
export const COLUMNS = {
  beats: [0, SLOTS_PER_STEP],
  downbeats: [5, SLOTS_PER_STEP],
  metres: [10, METRE_COUNT],
  chords: [18, HARMONY_OUTPUTS.chords],
  qualities: [43, HARMONY_OUTPUTS.qualities],
  basses: [52, HARMONY_OUTPUTS.basses],
  keys: [65, HARMONY_OUTPUTS.keys],
  tuning: [89, 3],
  timbre: [92, 12],
  loudness: [104, 2],
} as const;
export const ROW_WIDTH = 106;
const TIMBRE_BANDS = 12;

/** What the network sees on each side of the steps it is asked for: with them, the 30 s of its training. */
export const CONTEXT_STEPS = 50;

/** Of 30 s. */
export const CONTEXT_SHARE = 1 / 3;

/** The rows of a range but for their loudness. */
export async function inferRows(
  analyser: MusicAnalyser,
  recording: FrameSource,
  { firstStep, stepCount, lastStep }: StepRange & { lastStep: number },
): Promise<Float32Array> {
  const from = Math.max(0, firstStep - CONTEXT_STEPS);
  const to = Math.min(lastStep, firstStep + stepCount + CONTEXT_STEPS);
  const scores = await analyser.infer(recording, { firstStep: from, stepCount: to - from });
  const rows = new Float32Array(stepCount * ROW_WIDTH);
  for (let n = 0; n < stepCount; n++) {
    const step = firstStep - from + n;
    const row = rows.subarray(n * ROW_WIDTH, (n + 1) * ROW_WIDTH);
    const slots = scores.pulses.subarray(
      step * SLOTS_PER_STEP * PULSE_OUTPUTS,
      (step + 1) * SLOTS_PER_STEP * PULSE_OUTPUTS,
    );
    writePulses(row, slots);
    let at = step * HARMONY_WIDTH;
    for (const name of ["chords", "qualities", "basses", "keys"] as const) {
      const width = HARMONY_OUTPUTS[name];
      row.set(toLogProbabilities(scores.harmony.subarray(at, at + width)), COLUMNS[name][0]);
      at += width;
    }
    const bands = scores.features.steps.subarray(step * STEP_BANDS, (step + 1) * STEP_BANDS);
    const [re, im, total] = toTuningVector(bands);
    row.set([re, im, total], COLUMNS.tuning[0]);
    writeTimbre(
      row,
      scores.features.slots.subarray(
        step * SLOTS_PER_STEP * SLOT_BANDS,
        (step + 1) * SLOTS_PER_STEP * SLOT_BANDS,
      ),
    );
  }
  return rows;
}

function writePulses(row: Float32Array, slots: Float32Array): void {
  const metres = new Float32Array(METRE_COUNT);
  for (let slot = 0; slot < SLOTS_PER_STEP; slot++) {
    row[COLUMNS.beats[0] + slot] = slots[slot * PULSE_OUTPUTS]!;
    row[COLUMNS.downbeats[0] + slot] = slots[slot * PULSE_OUTPUTS + 1]!;
    for (let metre = 0; metre < METRE_COUNT; metre++)
      metres[metre]! += slots[slot * PULSE_OUTPUTS + 2 + metre]! / SLOTS_PER_STEP;
  }
  row.set(toLogProbabilities(metres), COLUMNS.metres[0]);
}

/** Twelve wide bands of the spectrum. */
function writeTimbre(row: Float32Array, slots: Float32Array): void {
  const width = SLOT_BANDS / TIMBRE_BANDS;
  for (let at = 0; at < slots.length; at++) {
    row[COLUMNS.timbre[0] + Math.floor((at % SLOT_BANDS) / width)]! += slots[at]! / (width * SLOTS_PER_STEP);
  }
}
