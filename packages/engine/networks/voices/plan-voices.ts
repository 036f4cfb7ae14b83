import { listRuns, type StepRun } from "./step-runs.ts";
import type { StreamPower } from "./stream-power.ts";
import { NOBODY, STEPS_PER_SECOND, type Turns } from "./turns.ts";

/** How far around an overlap it is looked who is in which stream. */
const REACH_STEPS = 2 * STEPS_PER_SECOND;
/** Of a stream's share while each of two speaks alone: with less difference the streams do not have one speaker each. */
const LEAST_DIFFERENCE = 0.5;

/** Two who talk at once from `from` to `to`, and the steps around it that tell who is in which stream. */
export type Overlap = StepRun & { around: StepRun; people: readonly [number, number] };

/** Who is heard in each step: one person in the input as it is, or one in each of the two streams. */
export type VoicePlan = {
  voiceCount: number;
  solo: Int8Array;
  /** Set where two people talk at once. */
  streams: readonly [Int8Array, Int8Array];
  confidence: Float32Array;
};

/** One at a time, as the turns say. */
export function planTurns({ voiceCount, people, confidence }: Turns): VoicePlan {
  const nobody = () => new Int8Array(people.length).fill(NOBODY);
  return { voiceCount, solo: people.slice(), streams: [nobody(), nobody()], confidence };
}

export function listOverlaps({ people, beside }: Turns): Overlap[] {
  const overlaps: Overlap[] = [];
  for (const { from, to } of listRuns(people.length, (step) => beside[step] !== NOBODY)) {
    for (let step = from; step < to; step++) {
      const pair = [people[step]!, beside[step]!].sort((a, b) => a - b) as [number, number];
      const last = overlaps.at(-1);
      if (last?.to === step && last.people.every((person, n) => person === pair[n])) last.to++;
      else overlaps.push({ from: step, to: step + 1, around: { from: 0, to: 0 }, people: pair });
    }
  }
  for (const { from, to, around } of overlaps)
    Object.assign(around, {
      from: Math.max(0, from - REACH_STEPS),
      to: Math.min(people.length, to + REACH_STEPS),
    });
  return overlaps;
}

/** Gives each of two who talk at once their stream: the one they are in while they speak alone. Where that does not tell them apart, nothing changes. */
export function placeOverlap(
  plan: VoicePlan,
  overlap: Overlap,
  heard: { turns: Turns; power: StreamPower },
): void {
  const [first, second] = overlap.people.map((person) => findFirstShare(person, overlap, heard));
  const difference =
    first === undefined && second === undefined ? 0 : (first ?? 1 - second!) - (second ?? 1 - first!);
  if (Math.abs(difference) < LEAST_DIFFERENCE) return;
  const [a, b] = difference > 0 ? overlap.people : [overlap.people[1], overlap.people[0]];
  plan.solo.fill(NOBODY, overlap.from, overlap.to);
  plan.streams[0].fill(a, overlap.from, overlap.to);
  plan.streams[1].fill(b, overlap.from, overlap.to);
}

/** How much of a person who speaks alone is in the first stream; nothing where they do not. */
function findFirstShare(
  person: number,
  { around }: Overlap,
  { turns: { people, beside }, power: { all, firstStep } }: { turns: Turns; power: StreamPower },
): number | undefined {
  let [first, both] = [0, 0];
  for (let step = around.from; step < around.to; step++) {
    if (people[step] !== person || beside[step] !== NOBODY) continue;
    first += all[0][step - firstStep]!;
    both += all[0][step - firstStep]! + all[1][step - firstStep]!;
  }
  return both === 0 ? undefined : first / both;
}
