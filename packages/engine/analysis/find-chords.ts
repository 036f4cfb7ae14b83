import { findLikeliestStates, toRuns } from "./likeliest-course.ts";

const CLASSES = 25;
export const NO_CHORD = 24;
const QUALITIES = ["maj", "min", "7", "maj7", "min7", "dim", "aug", "sus4", "sus2"] as const;
/** Suspended chords have no third: the network's 24 chords say nothing of them. */
const MAJOR_LIKE = [0, 2, 3, 6, 7, 8];
const MINOR_LIKE = [1, 4, 5];
const BASSES = 13;
/** Evidence it takes to change the chord, between beats and on one. */
const CHANGE_COST = 5;
const CHANGE_COST_ON_BEAT = 2;
/** The chord is plain unless another quality, or another bass, is this much likelier on average. */
const QUALITY_MARGIN = 0.3;
const BASS_MARGIN = 0.7;
/** Degrees of a bass that belong to a chord; others are left out. */
const DEGREES: Record<number, string> = { 3: "b3", 4: "3", 6: "b5", 7: "5", 8: "#5", 10: "b7", 11: "7" };

export type ChordRows = {
  /** Log-probabilities of 24 chords and none. */
  chords: Float32Array;
  qualities: Float32Array;
  basses: Float32Array;
};
/** Without a root no chord sounds. */
export type ChordPart = { firstStep: number; endStep: number; root?: number; quality: string; bass?: string };

/** Chords in order; `isBeat` marks the steps next to a beat. */
export function findChords(rows: ChordRows, isBeat: Uint8Array): ChordPart[] {
  const changeCosts = Float32Array.from(isBeat, (on) => (on === 1 ? CHANGE_COST_ON_BEAT : CHANGE_COST));
  const states = findLikeliestStates(rows.chords, { stateCount: CLASSES, changeCosts });
  return toRuns(states).map(({ state, start, end }) => {
    const part = { firstStep: start, endStep: end };
    if (state === NO_CHORD) return { ...part, quality: "" };
    const root = state % 12;
    const quality = findQuality(rows.qualities, { isMinor: state >= 12, start, end });
    const bass = findBass(rows.basses, { root, start, end });
    return { ...part, root, quality, ...(bass === undefined ? {} : { bass }) };
  });
}

type Steps = { start: number; end: number };

function meanOf(rows: Float32Array, width: number, column: number, { start, end }: Steps): number {
  let sum = 0;
  for (let step = start; step < end; step++) sum += rows[step * width + column]!;
  return sum / (end - start);
}

function findQuality(rows: Float32Array, { isMinor, ...steps }: Steps & { isMinor: boolean }): string {
  const [plain = 0, ...others] = isMinor ? MINOR_LIKE : MAJOR_LIKE;
  const scoreOf = (quality: number) => meanOf(rows, QUALITIES.length, quality, steps);
  const best = others.reduce((a, b) => (scoreOf(b) > scoreOf(a) ? b : a));
  return QUALITIES[scoreOf(best) > scoreOf(plain) + QUALITY_MARGIN ? best : plain]!;
}

function findBass(rows: Float32Array, { root, ...steps }: Steps & { root: number }): string | undefined {
  const scoreOf = (note: number) => meanOf(rows, BASSES, note, steps);
  const notes = Array.from({ length: 12 }, (_, note) => note);
  const best = notes.reduce((a, b) => (scoreOf(b) > scoreOf(a) ? b : a));
  return scoreOf(best) > scoreOf(root) + BASS_MARGIN ? DEGREES[(best - root + 12) % 12] : undefined;
}
