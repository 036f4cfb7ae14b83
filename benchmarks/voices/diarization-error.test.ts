import { expect, it } from "vitest";
import { findDiarizationError } from "./diarization-error.ts";

const span = (who: string, startSeconds: number, endSeconds: number) => ({ who, startSeconds, endSeconds });
const truth = [span("a", 0, 10), span("b", 10, 20)];

it("names do not matter, and nothing is counted within the collar", () => {
  const found = [span("x", 0, 10.2), span("y", 10.2, 20)];
  expect(findDiarizationError(truth, found, { collarSeconds: 0.25 }).total).toBe(0);
  expect(findDiarizationError(truth, found, { collarSeconds: 0 }).confused).toBeCloseTo(0.01);
});

it("counts missed, false and confused speech separately", () => {
  expect(findDiarizationError(truth, [span("x", 0, 10)], { collarSeconds: 0 })).toMatchObject({
    missed: 0.5,
    total: 0.5,
  });
  const more = [...truth, span("c", 0, 5)];
  expect(findDiarizationError(truth, more, { collarSeconds: 0 })).toMatchObject({
    invented: 0.25,
    confused: 0,
  });
  expect(findDiarizationError(truth, [span("x", 0, 20)], { collarSeconds: 0 })).toMatchObject({
    confused: 0.5,
  });
});
