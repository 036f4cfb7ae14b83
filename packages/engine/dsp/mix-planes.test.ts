import { expect, it } from "vitest";
import { mixToTwoPlanes } from "./mix-planes.ts";

const plane = (value: number) => new Float32Array(3).fill(value);

it("returns one and two channels unchanged", () => {
  const [one, two] = [plane(1), plane(2)];
  expect(mixToTwoPlanes([one])).toEqual([one]);
  expect(mixToTwoPlanes([one, two])).toEqual([one, two]);
});

it("mixes odd channels left and even ones right, an unpaired last one to both", () => {
  expect(mixToTwoPlanes([plane(3), plane(6), plane(9)])).toEqual([plane(6), plane(7.5)]);
  expect(mixToTwoPlanes([plane(2), plane(4), plane(4), plane(8)])).toEqual([plane(3), plane(6)]);
});
