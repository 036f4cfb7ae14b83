import { expect, it } from "vitest";
import { joinActivity } from "./join-activity.ts";

const row = (...values: number[]) => Float32Array.from(values);

it("windows that overlap are averaged, their middle counting more than their edges", () => {
  const windows = [
    { firstStep: 0, activity: [row(1, 1, 1, 1)], voices: [0] },
    { firstStep: 2, activity: [row(0, 0, 0, 0)], voices: [0] },
  ];
  const [joined] = joinActivity(windows, { voiceCount: 1, stepCount: 6 });
  expect([...joined!].map((value) => Number(value.toFixed(3)))).toEqual([1, 1, 0.667, 0.333, 0, 0]);
});

it("each row goes to its person; a person whom a window does not hear is silent there", () => {
  const windows = [
    { firstStep: 0, activity: [row(1, 0), row(0, 1)], voices: [1, 0] },
    { firstStep: 2, activity: [row(1, 1)], voices: [1] },
  ];
  const joined = joinActivity(windows, { voiceCount: 2, stepCount: 5 });
  expect(joined.map((voice) => [...voice])).toEqual([
    [0, 1, 0, 0, 0],
    [1, 0, 1, 1, 0],
  ]);
});
