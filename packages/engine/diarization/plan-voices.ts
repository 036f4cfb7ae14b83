import { listStepRuns, type StepRun } from "./step-runs.ts";
import type { StreamPower } from "./stream-power.ts";
import { NO_SPEAKER, STEPS_PER_SECOND, type Turns } from "./turns.ts";

/** Context on both sides of an overlap used to match speakers to streams. */
const REACH_STEPS = 2 * STEPS_PER_SECOND;
/** Minimum difference of a stream's share between the two speakers' solo speech; below it, the streams do not have one speaker each. */
const MIN_DIFFERENCE = 0.5;

/** Two speakers talking at once from `from` to `to`, and the context that shows who is in which stream. */
export type Overlap = StepRun & { around: StepRun; speakers: readonly [number, number] };

/** Who speaks in each step: one speaker in the original input, or one in each of the two streams. */
export type VoicePlan = {
  voiceCount: number;
  solo: Int8Array;
  /** Set where two speakers talk at once. */
  streams: readonly [Int8Array, Int8Array];
  confidence: Float32Array;
};

/** One speaker at a time, following the turns. */
export function planTurns({ voiceCount, speakers, confidence }: Turns): VoicePlan {
  const noSpeaker = () => new Int8Array(speakers.length).fill(NO_SPEAKER);
  return { voiceCount, solo: speakers.slice(), streams: [noSpeaker(), noSpeaker()], confidence };
}

export function listOverlaps({ speakers, overlapping }: Turns): Overlap[] {
  const overlaps: Overlap[] = [];
  for (const { from, to } of listStepRuns(speakers.length, (step) => overlapping[step] !== NO_SPEAKER)) {
    for (let step = from; step < to; step++) {
      const pair = [speakers[step]!, overlapping[step]!].sort((a, b) => a - b) as [number, number];
      const last = overlaps.at(-1);
      if (last?.to === step && last.speakers.every((speaker, n) => speaker === pair[n])) last.to++;
      else overlaps.push({ from: step, to: step + 1, around: { from: 0, to: 0 }, speakers: pair });
    }
  }
  for (const { from, to, around } of overlaps)
    Object.assign(around, {
      from: Math.max(0, from - REACH_STEPS),
      to: Math.min(speakers.length, to + REACH_STEPS),
    });
  return overlaps;
}

/** Gives each of two overlapping speakers the stream that carries their solo speech. Changes nothing if that is ambiguous. */
export function assignOverlap(
  plan: VoicePlan,
  overlap: Overlap,
  measured: { turns: Turns; power: StreamPower },
): void {
  const [first, second] = overlap.speakers.map((speaker) => findFirstShare(speaker, overlap, measured));
  const difference =
    first === undefined && second === undefined ? 0 : (first ?? 1 - second!) - (second ?? 1 - first!);
  if (Math.abs(difference) < MIN_DIFFERENCE) return;
  const [a, b] = difference > 0 ? overlap.speakers : [overlap.speakers[1], overlap.speakers[0]];
  plan.solo.fill(NO_SPEAKER, overlap.from, overlap.to);
  plan.streams[0].fill(a, overlap.from, overlap.to);
  plan.streams[1].fill(b, overlap.from, overlap.to);
}

/** The first stream's share of a speaker's solo speech; undefined if they never speak alone. */
function findFirstShare(
  speaker: number,
  { around }: Overlap,
  { turns: { speakers, overlapping }, power: { all, firstStep } }: { turns: Turns; power: StreamPower },
): number | undefined {
  let [first, both] = [0, 0];
  for (let step = around.from; step < around.to; step++) {
    if (speakers[step] !== speaker || overlapping[step] !== NO_SPEAKER) continue;
    first += all[0][step - firstStep]!;
    both += all[0][step - firstStep]! + all[1][step - firstStep]!;
  }
  return both === 0 ? undefined : first / both;
}
