import { expect, it } from "vitest";
import { makeSeededRandom } from "../dsp/seeded-random.ts";
import { isExchanged } from "./stitch-voices.ts";

const random = makeSeededRandom(3);
const makeNoise = (gain: number) => Float32Array.from({ length: 400 }, () => gain * (random() - 0.5));
const mix = (a: Float32Array, b: Float32Array, leak: number) => a.map((value, n) => value + leak * b[n]!);

it("voices keep their order if it matches the previous window, and are swapped otherwise", () => {
  const [a, b] = [makeNoise(1), makeNoise(0.3)];
  expect(isExchanged([[a], [b]], [[mix(a, b, 0.3)], [mix(b, a, 0.1)]])).toBe(false);
  expect(isExchanged([[a], [b]], [[mix(b, a, 0.1)], [mix(a, b, 0.3)]])).toBe(true);
});

it("[VO2] voices are followed by whichever channel they are in", () => {
  const [a, b, silence] = [makeNoise(1), makeNoise(0.3), new Float32Array(400)];
  for (const inChannels of [
    (plane: Float32Array) => [plane, silence],
    (plane: Float32Array) => [silence, plane],
  ])
    expect(isExchanged([inChannels(a), inChannels(b)], [inChannels(b), inChannels(a)])).toBe(true);
});

it("silence changes nothing", () => {
  const silence = new Float32Array(400);
  expect(isExchanged([[silence], [silence]], [[makeNoise(1)], [makeNoise(1)]])).toBe(false);
});
