export type TempoPart = { start: number; end: number; bpm: number };

/** Beats on each side over which a local tempo is the median. */
const REACH = 4;
/** A part ends where the local tempo leaves its own by this much. */
const TOLERANCE = 0.04;
const PART_BEATS_MIN = 8;
/** Counting stops in a pause this many times as long as the beats beside it. */
const PAUSE = 2.2;

/** Parts of about one tempo, from the first beat to the last; pauses are between parts. */
export function findTempo(times: readonly number[]): TempoPart[] {
  const runs = splitAtPauses(times);
  return runs.flatMap((run) => (run.length < 3 ? [] : splitByTempo(run)));
}

/** The tempo of most of the time; parts within the tolerance of each other count together. */
export function toGlobalBpm(parts: readonly TempoPart[]): number | null {
  const weigh = (bpm: number) =>
    parts
      .filter((part) => Math.abs(part.bpm / bpm - 1) <= TOLERANCE)
      .map((part) => ({ bpm: part.bpm, seconds: part.end - part.start }));
  const groups = parts.map(({ bpm }) => weigh(bpm));
  const secondsOf = (group: { seconds: number }[]) => group.reduce((sum, { seconds }) => sum + seconds, 0);
  const best = groups.toSorted((a, b) => secondsOf(b) - secondsOf(a))[0];
  if (best === undefined) return null;
  return roundBpm(best.reduce((sum, { bpm, seconds }) => sum + bpm * seconds, 0) / secondsOf(best));
}

function splitAtPauses(times: readonly number[]): number[][] {
  const runs: number[][] = [];
  times.forEach((time, at) => {
    const run = runs.at(-1);
    const before = run && run.length > 1 ? run.at(-1)! - run.at(-2)! : Number.POSITIVE_INFINITY;
    if (run === undefined || time - times[at - 1]! > PAUSE * before) runs.push([time]);
    else run.push(time);
  });
  return runs;
}

function splitByTempo(times: readonly number[]): TempoPart[] {
  const intervals = times.slice(1).map((time, at) => time - times[at]!);
  const local = intervals.map((_, at) => median(intervals.slice(Math.max(0, at - REACH), at + REACH + 1)));
  const cuts = [0];
  for (let at = 1; at < local.length; at++) {
    const start = cuts.at(-1)!;
    const own = median(local.slice(start, at));
    const isLong = at - start >= PART_BEATS_MIN && local.length - at >= PART_BEATS_MIN / 2;
    if (isLong && Math.abs(local[at]! / own - 1) > TOLERANCE) cuts.push(at);
  }
  return cuts.map((first, index) => {
    const last = cuts[index + 1] ?? intervals.length;
    const [start, end] = [times[first]!, times[last]!];
    return { start, end, bpm: roundBpm((60 * (last - first)) / (end - start)) };
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const roundBpm = (bpm: number) => Math.round(bpm * 10) / 10;
