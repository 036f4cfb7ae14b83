import { expect, it } from "vitest";
import { assignSpeakers } from "./assign-speakers.ts";
import { assignOverlap, listOverlaps, planTurns } from "./plan-voices.ts";
import { linkSameSpeaker } from "./same-speaker-links.ts";
import { listSpeakerSegments, type SegmentedWindow } from "./segment-speakers.ts";
import type { StepRun } from "./step-runs.ts";
import { NO_SPEAKER, type Turns } from "./turns.ts";

const STEPS = 500;
type Span = readonly [from: number, to: number];
/** A window in which each local speaker is active in the given spans, in steps of the recording. */
function makeWindow(
  firstStep: number,
  middle: Span,
  ...places: readonly (readonly Span[])[]
): SegmentedWindow {
  const probabilities = places.map((spans) =>
    Float32Array.from({ length: STEPS }, (_, n) =>
      spans.some(([from, to]) => firstStep + n >= from && firstStep + n < to) ? 0.9 : 0.05,
    ),
  );
  return { firstStep, probabilities, middle: { from: middle[0], to: middle[1] } };
}
/** The first speaks, the second interrupts and answers, the first continues; the second window has them in swapped places. */
const FIRST: Span[] = [
  [20, 200],
  [420, 700],
];
const SECOND: Span[] = [[160, 400]];
const windows = [makeWindow(0, [0, 375], FIRST, SECOND, []), makeWindow(250, [375, 750], [], FIRST, SECOND)];
const segments = windows.flatMap(listSpeakerSegments).sort((a, b) => a.from - b.from);
const turns = assignSpeakers(
  windows,
  segments.map(({ from, to }) => ({
    from,
    to,
    speaker: FIRST.some(([a, b]) => from >= a && to <= b) ? 0 : 1,
  })),
  750,
);

it("[VO1] voices are identified by segments in which nobody else speaks", () => {
  expect(segments.map(({ from, to, seconds }) => [from, to, seconds])).toEqual([
    [20, 160, 2.8],
    [200, 375, 3.5],
    [375, 400, 0.5],
    [420, 700, 5.6],
  ]);
});

it("[VO2] windows link segments in the same localSpeaker and separate those in different places", () => {
  const [first, second, third, fourth] = linkSameSpeaker(windows, segments);
  expect(first?.get(1)).toBeLessThan(-0.5);
  expect(second?.get(2)).toBeGreaterThan(0.9);
  expect(third?.get(3)).toBeLessThan(-0.5);
  expect(first?.has(3)).toBe(false);
  expect(fourth?.get(2)).toBe(third?.get(3));
});

it("[VO1] people keep their turns across windows, and overlapping speech has a second speaker", () => {
  const who = (step: number) => [turns.speakers[step], turns.overlapping[step]];
  expect(turns.voiceCount).toBe(2);
  expect(who(10)).toEqual([NO_SPEAKER, NO_SPEAKER]);
  expect(who(100)).toEqual([0, NO_SPEAKER]);
  expect(who(180).toSorted()).toEqual([0, 1]);
  expect(who(300)).toEqual([1, NO_SPEAKER]);
  expect(who(390)).toEqual([1, NO_SPEAKER]);
  expect(who(600)).toEqual([0, NO_SPEAKER]);
  expect(turns.confidence[100]).toBeCloseTo(0.9);
});

it("[VO1] in an overlap each person gets the stream they are alone in; ambiguous streams change nothing", () => {
  const overlaps = listOverlaps(turns);
  expect(overlaps).toEqual([{ from: 160, to: 200, around: { from: 60, to: 300 }, speakers: [0, 1] }]);
  const [overlap] = overlaps;
  if (overlap === undefined) throw new Error("no overlap");
  const localSpeaker = (leak: number) => {
    const plan = planTurns(turns);
    // The second stream carries the first speaker.
    const inFirst = Float32Array.from({ length: 240 }, (_, n) => (n + 60 < 160 ? leak : 1 - leak));
    const all = [inFirst, inFirst.map((value) => 1 - value)] as const;
    assignOverlap(plan, overlap, { turns, power: { firstStep: 60, all, high: all } });
    return [plan.solo[180], plan.streams[0][180], plan.streams[1][180]];
  };
  expect(localSpeaker(0.1)).toEqual([NO_SPEAKER, 1, 0]);
  expect(localSpeaker(0.45)).toEqual([turns.speakers[180], NO_SPEAKER, NO_SPEAKER]);
});

it("[VO1] people who are never active alone are counted, and without anybody else they are one voice", () => {
  const never = makeWindow(0, [0, 375], [[20, 300]], [[30, 290]]);
  never.probabilities[0]?.fill(0.7, 20, 300);
  expect(listSpeakerSegments(never)).toEqual([]);
  const together = assignSpeakers([never], [], 375);
  expect(together.voiceCount).toBe(1);
  expect([together.speakers[100], together.overlapping[100]]).toEqual([0, NO_SPEAKER]);
  expect(together.confidence[100]).toBeCloseTo(0.9);
  expect([together.activeCount[10], together.activeCount[100], together.activeCount[310]]).toEqual([0, 2, 0]);
});

/** Who is active in a step. */
const at = ({ speakers, overlapping }: Turns, step: number) =>
  [speakers[step]!, overlapping[step]!].toSorted();

it("[VO1] whoever talks on into a window keeps its localSpeaker there, though most of their segment is before it", () => {
  // 0 talks from before the window until 1 has interrupted; 2 said a word next to the overlap.
  const first: Span[] = [
    [250, 345],
    [380, 480],
  ];
  const into = makeWindow(250, [375, 625], first, [[400, 700]], [[350, 376]]);
  const labelled = [
    { from: 125, to: 340, speaker: 0 },
    { from: 350, to: 376, speaker: 2 },
    { from: 480, to: 700, speaker: 1 },
  ];
  expect(at(assignSpeakers([into], labelled, 750), 440)).toEqual([0, 1]);
});

it("[VO1] a voice that a window reads only beside another is whom the next window reads in it", () => {
  const first: Span[] = [
    [0, 290],
    [335, 505],
  ];
  const before = makeWindow(0, [0, 375], first, [[340, 500]], [[295, 330]]);
  const next = makeWindow(250, [375, 750], [[340, 540]], first, [[295, 330]]);
  const labelled = [
    { from: 0, to: 290, speaker: 0 },
    { from: 295, to: 330, speaker: 2 },
    { from: 505, to: 540, speaker: 1 },
  ];
  expect(at(assignSpeakers([before, next], labelled, 750), 360)).toEqual([0, 1]);
});

it("[VO1] a voice that no window reads alone is the nearest of the others within three seconds; of two people always", () => {
  const window = makeWindow(0, [0, 500], [[0, 400]], [[250, 300]], []);
  const talk = (third: StepRun, ...more: number[]) =>
    at(
      assignSpeakers(
        [window],
        [{ from: 0, to: 240, speaker: 0 }, ...[1, ...more].map((speaker) => ({ ...third, speaker }))],
        1000,
      ),
      270,
    );
  expect(talk({ from: 410, to: 490 }, 2)).toEqual([0, 1]);
  expect(talk({ from: 800, to: 900 }, 2)).toEqual([NO_SPEAKER, 0]);
  expect(talk({ from: 800, to: 900 })).toEqual([0, 1]);
});
