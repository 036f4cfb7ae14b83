import { toLoudness } from "../dsp/loudness.ts";
import { SLOTS_PER_STEP } from "../networks/music-analyser/music-features.ts";
import { findBars, METRE_COUNT } from "./bar-path.ts";
import { findBeatSlots, refineBeat } from "./beat-path.ts";
import { type ChordPart, findChords, NO_CHORD } from "./find-chords.ts";
import { findKeys, type KeyPart } from "./find-keys.ts";
import { findSections, type Section, type SectionUnit } from "./find-sections.ts";
import { toTuningCents } from "./find-tuning.ts";
import { spellKey, spellNote } from "./key-names.ts";
import type { Beat, MusicAnalysis } from "./music-analysis.ts";
import { COLUMNS } from "./score-rows.ts";
import { findTempo, toGlobalBpm } from "./tempo-curve.ts";

const STEP_SECONDS = 0.1;
/** Fewer beats are no beat. */
const BEATS_MIN = 6;
/** A chord that changes this near a beat changes on it. */
const SNAP_SECONDS = 0.13;
/** Below this much harmony in all there is no key and no tuning. */
const HARMONY_STEPS_MIN = 30;
const HARMONY_SHARE_MIN = 0.05;
/** A section's unit where there is no beat. */
const UNIT_SECONDS = 2;
const TIMBRE_WEIGHT = 0.25;

/** Steps of `ROW_WIDTH` values, one array per column. */
export type ScoreColumns = readonly Float32Array[];

/** Beats, chords, keys and the rest from the scores of a whole recording. */
export function interpretRows(columns: ScoreColumns, durationSeconds: number): MusicAnalysis {
  const take = (name: keyof typeof COLUMNS) => interleaveColumns(columns, COLUMNS[name]);
  const chordRows = { chords: take("chords"), qualities: take("qualities"), basses: take("basses") };
  const { beats, timeSignature } = findBeats(take, durationSeconds);
  const isHarmony = findHarmony(chordRows.chords);
  const harmonySteps = isHarmony.reduce((sum, is) => sum + is, 0);
  const hasHarmony = harmonySteps >= Math.max(HARMONY_STEPS_MIN, HARMONY_SHARE_MIN * isHarmony.length);
  const keys = hasHarmony ? findKeys(take("keys"), isHarmony) : [];
  const main = findMainKey(keys);
  const chords = findChords(chordRows, markBeats(beats, isHarmony.length));
  const tempo = findTempo(beats.map(({ time }) => time));
  const toSeconds = (step: number) => Math.min(durationSeconds, step * STEP_SECONDS);
  const tuning = columns
    .slice(COLUMNS.tuning[0], COLUMNS.tuning[0] + 3)
    .map((column) => column.reduce((a, b) => a + b, 0));
  const [re = 0, im = 0, total = 0] = tuning;
  const [powers = new Float32Array(), peaks = new Float32Array()] = columns.slice(COLUMNS.loudness[0]);
  return {
    duration: roundMs(durationSeconds),
    bpm: toGlobalBpm(tempo),
    timeSignature,
    key: main ? spellKey(main.key) : null,
    keyConfidence: main ? Math.round(main.confidence * 100) / 100 : null,
    tuningCents: hasHarmony ? toTuningCents(re, im, total) : null,
    beats,
    tempo: tempo.map(({ start, end, bpm }) => ({ start: roundMs(start), end: roundMs(end), bpm })),
    keys: keys.map(({ firstStep, endStep, key }, at) => ({
      start: roundMs(toSeconds(firstStep)),
      end: roundMs(at === keys.length - 1 ? durationSeconds : toSeconds(endStep)),
      key: spellKey(key),
    })),
    chords: labelChords(chords, { keys, beats, durationSeconds }),
    sections: hasHarmony || beats.length > 0 ? divide(columns, { beats, durationSeconds }) : [],
    loudness: toLoudness(powers, peaks),
  };
}

type Take = (name: keyof typeof COLUMNS) => Float32Array;

/** Some columns, row by row. */
function interleaveColumns(columns: ScoreColumns, [first, count]: readonly [number, number]): Float32Array {
  const steps = columns[0]?.length ?? 0;
  const rows = new Float32Array(steps * count);
  for (let column = 0; column < count; column++) {
    const values = columns[first + column]!;
    for (let step = 0; step < steps; step++) rows[step * count + column] = values[step]!;
  }
  return rows;
}

function findBeats(take: Take, durationSeconds: number): { beats: Beat[]; timeSignature: string | null } {
  const logits = take("beats");
  const downbeats = take("downbeats");
  const metres = take("metres");
  const slots = findBeatSlots(logits).filter((slot) => refineBeat(logits, slot) < durationSeconds);
  if (slots.length < BEATS_MIN) return { beats: [], timeSignature: null };
  const evidence = slots.map((slot) => {
    const step = Math.floor(slot / SLOTS_PER_STEP);
    return {
      downbeat: Math.max(...downbeats.subarray(Math.max(0, slot - 2), slot + 3)),
      metres: metres.subarray(step * METRE_COUNT, (step + 1) * METRE_COUNT),
    };
  });
  const { places, timeSignature } = findBars(evidence);
  const beats = slots.map((slot, at) => ({ time: roundMs(refineBeat(logits, slot)), ...places[at]! }));
  return { beats, timeSignature };
}

/** Steps in which a chord is likelier than none. */
function findHarmony(chords: Float32Array): Uint8Array {
  const width = COLUMNS.chords[1];
  return Uint8Array.from({ length: chords.length / width }, (_, step) =>
    chords[step * width + NO_CHORD]! < Math.log(0.5) ? 1 : 0,
  );
}

function findMainKey(keys: readonly KeyPart[]): { key: number; confidence: number } | undefined {
  const totals = new Map<number, { steps: number; certain: number }>();
  for (const { key, firstStep, endStep, confidence } of keys) {
    const total = totals.get(key) ?? { steps: 0, certain: 0 };
    const steps = endStep - firstStep;
    totals.set(key, { steps: total.steps + steps, certain: total.certain + steps * confidence });
  }
  const [best] = [...totals].sort(([, a], [, b]) => b.steps - a.steps);
  return best && { key: best[0], confidence: best[1].certain / best[1].steps };
}

function markBeats(beats: readonly Beat[], stepCount: number): Uint8Array {
  const marks = new Uint8Array(stepCount);
  for (const { time } of beats) marks[Math.min(stepCount - 1, Math.round(time / STEP_SECONDS))] = 1;
  return marks;
}

function labelChords(
  parts: readonly ChordPart[],
  {
    keys,
    beats,
    durationSeconds,
  }: { keys: readonly KeyPart[]; beats: readonly Beat[]; durationSeconds: number },
): MusicAnalysis["chords"] {
  const times = beats.map(({ time }) => time);
  const toTime = (step: number) => snap(Math.min(durationSeconds, step * STEP_SECONDS), times);
  const spans = parts.map((part, at) => ({
    start: at === 0 ? 0 : toTime(part.firstStep),
    end: at === parts.length - 1 ? roundMs(durationSeconds) : toTime(part.endStep),
    label: toLabel(part, keys.find(({ endStep }) => endStep > part.firstStep)?.key),
  }));
  return spans.filter(({ start, end }) => end > start);
}

function toLabel({ root, quality, bass }: ChordPart, key: number | undefined): string {
  if (root === undefined) return "N";
  return `${spellNote(root, key)}:${quality}${bass === undefined ? "" : `/${bass}`}`;
}

/** The nearest of the sorted times if it is near, else the time itself. */
function snap(time: number, times: readonly number[]): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  const [before = Number.NEGATIVE_INFINITY, after = Number.POSITIVE_INFINITY] = [times[low - 1], times[low]];
  const nearest = time - before < after - time ? before : after;
  return roundMs(Math.abs(nearest - time) <= SNAP_SECONDS ? nearest : time);
}

/** Sections over bars, or over pieces of two seconds where there is no beat; together they cover the recording. */
function divide(
  columns: ScoreColumns,
  { beats, durationSeconds }: { beats: readonly Beat[]; durationSeconds: number },
): Section[] {
  const downbeats = beats.filter(({ beat }) => beat === 1).map(({ time }) => time);
  const every = Array.from(
    { length: Math.floor(durationSeconds / UNIT_SECONDS) },
    (_, n) => n * UNIT_SECONDS,
  );
  const starts = downbeats.length > BEATS_MIN ? downbeats : every;
  const means = listTimbreMeans(columns);
  const units = starts.map((start, at) => {
    const end = Math.min(durationSeconds, starts[at + 1] ?? durationSeconds);
    return { start, end, vector: toVector(columns, { start, end, means }) };
  });
  const sections = findSections(units satisfies SectionUnit[]);
  const [first, last] = [sections[0], sections.at(-1)];
  if (first) first.start = 0;
  if (last) last.end = durationSeconds;
  return sections.map(({ start, end, label }) => ({ start: roundMs(start), end: roundMs(end), label }));
}

function listTimbreMeans(columns: ScoreColumns): number[] {
  const [first, count] = COLUMNS.timbre;
  return columns
    .slice(first, first + count)
    .map((column) => column.reduce((sum, value) => sum + value, 0) / Math.max(1, column.length));
}

/** The chords of a unit, as roots of their mean probabilities, and beside them how its timbre differs from the recording's. */
function toVector(
  columns: ScoreColumns,
  { start, end, means }: { start: number; end: number; means: readonly number[] },
): Float32Array {
  const firstStep = Math.min(Math.floor(start / STEP_SECONDS), (columns[0]?.length ?? 1) - 1);
  const endStep = Math.max(firstStep + 1, Math.floor(end / STEP_SECONDS));
  const meanOf = (column: Float32Array, map: (value: number) => number) => {
    const part = column.subarray(firstStep, endStep);
    return part.reduce((sum, value) => sum + map(value), 0) / Math.max(1, part.length);
  };
  const [firstChord, chordCount] = COLUMNS.chords;
  const chords = columns
    .slice(firstChord, firstChord + chordCount)
    .map((column) => Math.sqrt(meanOf(column, Math.exp)));
  const timbre = means.map(
    (mean, band) => TIMBRE_WEIGHT * (meanOf(columns[COLUMNS.timbre[0] + band]!, (value) => value) - mean),
  );
  return Float32Array.from([...chords, ...timbre]);
}

const roundMs = (seconds: number) => Math.round(seconds * 1000) / 1000;
