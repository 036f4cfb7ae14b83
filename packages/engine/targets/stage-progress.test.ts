import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import { StageProgress } from "./stage-progress.ts";

afterEach(() => void vi.restoreAllMocks());

/** One target waits for all stages. */
const ALL = ["one"];
const weighing = (weight: number) => new Map([["one", weight]]);

it("rises to one and never falls, whatever the stages report", () => {
  const stages = fc.array(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(stages, (reports) => {
      const seen: number[] = [0];
      const progress = new StageProgress(
        (told) => seen.push(...told.map(({ fraction }) => fraction)),
        weighing(reports.length),
      );
      for (const fractions of reports) {
        const report = progress.makeStage(1, ALL);
        for (const fraction of [...fractions, 1]) report(fraction);
      }
      expect(seen.at(-1)).toBe(1);
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    }),
  );
});

it("does not report invisibly small steps", () => {
  const report = vi.fn();
  const stage = new StageProgress(report, weighing(1)).makeStage(1, ALL);
  for (let n = 0; n <= 100_000; n++) stage(n / 100_000);
  expect(report.mock.calls.length).toBeLessThanOrEqual(1001);
  expect(report).toHaveBeenLastCalledWith([{ key: "one", fraction: 1 }]);
});

it("adds up parallel stages by what each reports", () => {
  const seen: number[] = [];
  const progress = new StageProgress(
    (told) => seen.push(...told.map(({ fraction }) => fraction)),
    weighing(4),
  );
  progress.makeStage(1, ALL)(0.5);
  const [first, second] = [progress.makeStageBeside(1, ALL), progress.makeStageBeside(1, ALL)];
  second(0.5);
  first(1);
  const last = progress.makeStage(1, ALL);
  last(0.5);
  second(1);
  last(1);
  expect(seen).toEqual([1 / 8, 1 / 4, 1 / 2, 3 / 4, 7 / 8, 1]);
});

/** A clock that only the test moves. */
function makeClock() {
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  return {
    getSeconds: () => nowMs / 1000,
    pass: (seconds: number) => {
      nowMs += seconds * 1000;
    },
  };
}

it("[T14] estimates the remaining time to within a fifth after the first tenth, for any start time and machine speed", () => {
  const runs = fc.record({
    startSeconds: fc.double({ min: 0, max: 600, noNaN: true }),
    segmentSeconds: fc.double({ min: 0.01, max: 100, noNaN: true }),
    segmentCount: fc.integer({ min: 20, max: 500 }),
    // Other load on the machine, segment by segment.
    delays: fc.array(fc.double({ min: 0.9, max: 1.1, noNaN: true }), { minLength: 500, maxLength: 500 }),
  });
  const clock = makeClock();
  fc.assert(
    fc.property(runs, ({ startSeconds, segmentSeconds, segmentCount, delays }) => {
      const told: { atSeconds: number; fraction: number; secondsLeft: number | undefined }[] = [];
      const progress = new StageProgress(
        ([progress]) => {
          const { fraction = 0, secondsLeft } = progress ?? {};
          told.push({ atSeconds: clock.getSeconds(), fraction, secondsLeft });
        },
        weighing(0.01 + 0.4),
      );
      const read = progress.makeStage(0.01, ALL);
      clock.pass(startSeconds);
      read(1);
      progress.begin();
      const separate = progress.makeStageBeside(0.4, ALL);
      for (let n = 0; n <= segmentCount; n++) {
        separate(n / segmentCount);
        clock.pass(n < segmentCount ? segmentSeconds * (delays[n] ?? 1) : 0);
      }
      const endSeconds = clock.getSeconds();
      const errors = told
        .filter(({ fraction, atSeconds }) => fraction >= 0.1 && atSeconds < endSeconds)
        .map(({ atSeconds, secondsLeft = Number.NaN }) => secondsLeft / (endSeconds - atSeconds) - 1);
      expect(Math.max(...errors.map(Math.abs))).toBeLessThanOrEqual(0.2);
      expect(told.at(-1)?.secondsLeft).toBe(0);
    }),
  );
});

it("[T14] work that a stage found already done does not count for the pace", () => {
  const clock = makeClock();
  const report = vi.fn();
  const progress = new StageProgress(report, weighing(1));
  progress.begin();
  const stage = progress.makeStageBeside(1, ALL);
  stage(0.5);
  expect(report).toHaveBeenLastCalledWith([{ key: "one", fraction: 0.5 }]);
  clock.pass(10);
  stage(0.75);
  expect(report).toHaveBeenLastCalledWith([{ key: "one", fraction: 0.75, secondsLeft: 10 }]);
});

it("[T14] raises the remaining time when a stage turns out to be needed, while the fraction pauses", () => {
  const clock = makeClock();
  const report = vi.fn();
  const progress = new StageProgress(report, weighing(1));
  progress.begin();
  const stage = progress.makeStageBeside(1, ALL);
  stage(0);
  clock.pass(10);
  stage(0.5);
  progress.setWeights(weighing(2));
  clock.pass(2);
  stage(0.6);
  expect(report).toHaveBeenLastCalledWith([
    { key: "one", fraction: 0.5, secondsLeft: expect.closeTo(28, 9) },
  ]);
});

it("[T9] [T14] reports for each target the stages it waits for, and only targets that advanced", () => {
  const clock = makeClock();
  const report = vi.fn();
  const progress = new StageProgress(
    report,
    new Map([
      ["early", 1],
      ["late", 4],
    ]),
  );
  progress.begin();
  const first = progress.makeStage(1, ["early", "late"]);
  first(0);
  clock.pass(10);
  first(1);
  expect(report).toHaveBeenLastCalledWith([
    { key: "early", fraction: 1, secondsLeft: 0 },
    { key: "late", fraction: 0.25, secondsLeft: 30 },
  ]);
  const second = progress.makeStage(3, ["late"]);
  second(0);
  clock.pass(10);
  second(1 / 3);
  expect(report).toHaveBeenLastCalledWith([{ key: "late", fraction: 0.5, secondsLeft: 20 }]);
});
