import { expect, it } from "vitest";
import { coverWithWindows } from "./cover-with-windows.ts";

const RATE = 16_000;
const place = (spans: [number, number][], seconds: number) =>
  coverWithWindows(
    spans.map(([from, to]) => ({ from: from * RATE, to: to * RATE })),
    seconds * RATE,
  ).map((start) => start / RATE);

it("a recording of up to 8 s is one window from its start", () => {
  expect(place([[0.5, 7]], 8)).toEqual([0]);
  expect(place([[2, 3]], 5)).toEqual([0]);
});

it("a longer segment is covered by windows that share 2 s or more, from its start to its end", () => {
  expect(place([[0, 10]], 10)).toEqual([0, 2]);
  expect(place([[10, 24]], 60)).toEqual([10, 16]);
  expect(place([[10, 25]], 60)).toEqual([10, 13.5, 17]);
});

it("spans that fit into one window share it, in its middle", () => {
  expect(
    place(
      [
        [20, 22],
        [25, 26],
      ],
      60,
    ),
  ).toEqual([19]);
  expect(
    place(
      [
        [20, 22],
        [27, 29],
      ],
      60,
    ),
  ).toEqual([17, 24]);
});

it("windows stay within the recording", () => {
  expect(
    place(
      [
        [0, 1],
        [58, 60],
      ],
      60,
    ),
  ).toEqual([0, 52]);
  expect(
    place(
      [
        [-1, 1],
        [59, 61],
      ],
      60,
    ),
  ).toEqual([0, 52]);
});

it("no spans need no windows", () => {
  expect(place([], 60)).toEqual([]);
});
