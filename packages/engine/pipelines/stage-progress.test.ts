import fc from "fast-check";
import { expect, it } from "vitest";
import { StageProgress } from "./stage-progress.ts";

it("rises to one whatever the stages report, in steps worth a message", () => {
  const stages = fc.array(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(stages, (reports) => {
      const seen: number[] = [0];
      const progress = new StageProgress((fraction) => seen.push(fraction), reports.length);
      for (const fractions of reports) {
        const report = progress.makeStage(1);
        for (const fraction of [...fractions, 1]) report(fraction);
      }
      expect(seen.at(-1)).toBe(1);
      for (let n = 1; n < seen.length - 1; n++)
        expect((seen[n] ?? 0) - (seen[n - 1] ?? 0)).toBeGreaterThanOrEqual(0.001);
    }),
  );
});

it("counts work that no stage foresaw as done, and as part of the whole", () => {
  const seen: number[] = [];
  const progress = new StageProgress((fraction) => seen.push(fraction), 2);
  progress.makeStage(1)(1);
  progress.addDone(2);
  const report = progress.makeStage(1);
  report(0);
  report(1);
  expect(seen).toEqual([1 / 2, 3 / 4, 1]);
});

it("counts stages beside each other by what each of them says", () => {
  const seen: number[] = [];
  const progress = new StageProgress((fraction) => seen.push(fraction), 4);
  progress.makeStage(1)(0.5);
  const [first, second] = [progress.makeStageBeside(1), progress.makeStageBeside(1)];
  second(0.5);
  first(1);
  const last = progress.makeStage(1);
  last(0.5);
  second(1);
  last(1);
  expect(seen).toEqual([1 / 8, 1 / 4, 1 / 2, 3 / 4, 7 / 8, 1]);
});
