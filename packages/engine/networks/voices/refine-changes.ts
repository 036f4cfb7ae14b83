import { NOBODY, STEPS_PER_SECOND, type Turns } from "./find-voices.ts";
import { bridgePauses, listRuns } from "./step-runs.ts";
import type { StreamPower } from "./stream-power.ts";

/** How far around a change of the speaker two may talk at once. */
const REACH_STEPS = 2 * STEPS_PER_SECOND;
/** Speakers further apart than this do not talk at once. */
const LONGEST_GAP_STEPS = 0.6 * STEPS_PER_SECOND;
/** Of a stream's share before and behind a change: with less difference the streams do not have one speaker each. */
const LEAST_DIFFERENCE = 0.5;
/** A speaker is heard down to this much below their usual level, */
const QUIETEST_DB = -22;
/** and beside the other one from this share on, or from three times what is left of the other in their stream. */
const LEAST_SHARE = 0.06;
const LEAK_FACTOR = 3;
const PAUSE_STEPS = 0.25 * STEPS_PER_SECOND;
/** The nearest tenths of a second to a change tell little about whose a stream is. */
const BLURRED_STEPS = 0.3 * STEPS_PER_SECOND;

/** Where one speaker takes over from another: the first has the steps from `from` to `at`, the second those up to `to`. */
type Change = { from: number; at: number; to: number; people: readonly [number, number] };

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

export function listChanges({ people }: Turns): Change[] {
  const turns: { person: number; from: number; to: number }[] = [];
  for (const { from, to } of listRuns(people.length, (step) => people[step] !== NOBODY)) {
    for (let step = from; step < to; step++) {
      const last = turns.at(-1);
      if (last && last.person === people[step] && step - last.to <= LONGEST_GAP_STEPS) last.to = step + 1;
      else turns.push({ person: people[step]!, from: step, to: step + 1 });
    }
  }
  return turns.slice(1).flatMap((turn, index) => {
    const before = turns[index]!;
    if (turn.person === before.person || turn.from - before.to > LONGEST_GAP_STEPS) return [];
    return [
      {
        from: Math.max(before.from, before.to - REACH_STEPS),
        at: turn.from,
        to: Math.min(turn.to, turn.from + REACH_STEPS),
        people: [before.person, turn.person] as const,
      },
    ];
  });
}

/**
 * Finds by the separated streams where the first speaker of a change really ends and the second begins, and notes it in the plan: where they talk at once,
 * each has a stream; otherwise the border moves. Where the streams do not tell the two apart, nothing changes.
 */
export function refineChange(plan: VoicePlan, change: Change, power: StreamPower): void {
  const streams = orderStreams(change, power);
  if (streams === undefined) return;
  const [first, second] = streams;
  const [ends, begins] = findBorders(change, power, streams);
  for (let step = change.from; step < change.to; step++) {
    if (step >= begins && step < ends) {
      plan.solo[step] = NOBODY;
      plan.streams[first][step] = change.people[0];
      plan.streams[second][step] = change.people[1];
    } else if (plan.solo[step] !== NOBODY) {
      plan.solo[step] = change.people[step < (ends + begins) / 2 ? 0 : 1];
    }
  }
}

/** Which stream has the first speaker and which the second. */
function orderStreams({ from, at, to }: Change, power: StreamPower): readonly [0 | 1, 0 | 1] | undefined {
  const before = shareOf(power, 0, { from, to: Math.max(from + 1, at - BLURRED_STEPS) });
  const behind = shareOf(power, 0, { from: Math.min(to - 1, at + BLURRED_STEPS), to });
  if (Math.abs(before - behind) < LEAST_DIFFERENCE) return undefined;
  return before > behind ? [0, 1] : [1, 0];
}

function shareOf({ all, firstStep }: StreamPower, stream: 0 | 1, span: { from: number; to: number }): number {
  const sum = (row: Float32Array) =>
    row.subarray(span.from - firstStep, span.to - firstStep).reduce((total, value) => total + value, 0);
  return sum(all[stream]) / (sum(all[0]) + sum(all[1]) + Number.MIN_VALUE);
}

/** Where the first speaker ends and where the second begins. */
function findBorders(change: Change, power: StreamPower, streams: readonly [0 | 1, 0 | 1]): [number, number] {
  const { from, at, to } = change;
  const spans = [
    { from, to: at },
    { from: at, to },
  ] as const;
  const [first, second] = streams.map((stream, index) => {
    const own = spans[index]!;
    const other = spans[1 - index]!;
    const row = power.all[stream]!;
    const level = loudest(row.subarray(own.from - power.firstStep, own.to - power.firstStep));
    const leak = shareOf(power, stream, trimmed(other, at));
    const least = Math.min(0.5, Math.max(LEAST_SHARE, LEAK_FACTOR * leak));
    const isHeard = (step: number) => {
      const here = smoothed(row, step - power.firstStep);
      const beside = smoothed(power.all[1 - stream]!, step - power.firstStep);
      return here > level * 10 ** (QUIETEST_DB / 10) && here / (here + beside) > least;
    };
    return bridgePauses(
      listRuns(to - from, (n) => isHeard(from + n)),
      PAUSE_STEPS,
    ).map((run) => ({ from: run.from + from, to: run.to + from }));
  }) as [{ from: number; to: number }[], { from: number; to: number }[]];
  const ends = first.findLast((run) => run.from < at)?.to ?? at;
  const begins = second.find((run) => run.to > at)?.from ?? at;
  return [Math.min(ends, to), Math.max(begins, from)];
}

/** A span without what is near the change. */
function trimmed(span: { from: number; to: number }, at: number): { from: number; to: number } {
  if (span.to === at) return { from: span.from, to: Math.max(span.from + 1, at - BLURRED_STEPS) };
  return { from: Math.min(span.to - 1, at + BLURRED_STEPS), to: span.to };
}

function loudest(row: Float32Array): number {
  const sorted = row.toSorted();
  return sorted[Math.floor(0.9 * (sorted.length - 1))] ?? 0;
}

function smoothed(row: Float32Array, at: number): number {
  let sum = 0;
  let count = 0;
  for (let step = Math.max(0, at - 2); step <= Math.min(row.length - 1, at + 2); step++, count++)
    sum += row[step]!;
  return sum / count;
}
