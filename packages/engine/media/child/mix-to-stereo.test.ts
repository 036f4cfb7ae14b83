import { expect, it } from "vitest";
import { mixToStereo } from "./mix-to-stereo.ts";

it.each([
  { channels: 4, frame: [1, 0.5, 0, 0.5], mixed: [0.5, 0.5] },
  { channels: 3, frame: [1, 0, 0.5], mixed: [0.75, 0.25] },
])("[A6] pairs $channels channels that have no names", ({ channels, frame, mixed }) => {
  expect([...mixToStereo(Float32Array.of(...frame, ...frame), channels)]).toEqual([...mixed, ...mixed]);
});
