import type { SegmentedWindow } from "./segment-speakers.ts";
import type { StepRun } from "./step-runs.ts";

/** A window links only segments of which it covers at least this share. */
const MIN_SHARE = 0.8;

/** Other segments in the same windows, and whether the windows assign both to one local speaker (1), to different ones (−1), or in between. */
export type SpeakerLinks = ReadonlyMap<number, number>;

/** Links segments by the local speakers windows assign them to. Segments are sorted by start. */
export function linkSameSpeaker(
  windows: readonly SegmentedWindow[],
  segments: readonly StepRun[],
): SpeakerLinks[] {
  const sums = segments.map(() => new Map<number, { agreement: number; windows: number }>());
  for (const window of windows) {
    const local = segments.flatMap((segment, index) => {
      const localSpeaker = findLocalSpeaker(window, segment, MIN_SHARE * (segment.to - segment.from));
      return localSpeaker === undefined ? [] : [{ index, localSpeaker }];
    });
    for (const a of local) {
      for (const b of local) {
        if (a.index === b.index) continue;
        const before = sums[a.index]!.get(b.index) ?? { agreement: 0, windows: 0 };
        sums[a.index]!.set(b.index, {
          agreement: before.agreement + 2 * multiply(a.localSpeaker, b.localSpeaker) - 1,
          windows: before.windows + 1,
        });
      }
    }
  }
  return sums.map(
    (row) => new Map([...row].map(([other, { agreement, windows: n }]) => [other, agreement / n])),
  );
}

/** A segment's activity in each local speaker of a window, as a unit vector; undefined if the window covers fewer steps of it. */
export function findLocalSpeaker(
  { firstStep, probabilities }: SegmentedWindow,
  { from, to }: StepRun,
  leastSteps: number,
): number[] | undefined {
  const length = probabilities[0]?.length ?? 0;
  const [first, end] = [Math.max(0, from - firstStep), Math.min(length, to - firstStep)];
  if (end - first < leastSteps) return undefined;
  const means = probabilities.map(
    (row) => row.subarray(first, end).reduce((sum, value) => sum + value, 0) / (end - first) + 1e-6,
  );
  const size = Math.hypot(...means);
  return means.map((value) => value / size);
}

function multiply(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, n) => sum + value * b[n]!, 0);
}
