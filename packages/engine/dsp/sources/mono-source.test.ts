import { describe, expect, it } from "vitest";
import { makeSeededRandom } from "../seeded-random.ts";
import { ArraySource } from "./array-source.ts";
import { MonoSource } from "./mono-source.ts";

const RATE = 8000;
const random = makeSeededRandom(7);
const makeNoise = (gain = 1) => Float32Array.from({ length: 100 * RATE }, () => gain * (random() - 0.5));
const readMono = (...planes: Float32Array[]) =>
  new MonoSource(new ArraySource(planes, RATE)).read(0, planes[0]!.length)[0]!;
const power = (plane: Float32Array) => plane.reduce((sum, value) => sum + value * value, 0);
const closeTo = (plane: Float32Array, other: Float32Array) =>
  power(plane.map((value, n) => value - other[n]!)) / power(other);

describe("a recording mixed to mono", () => {
  const [voice, noise] = [makeNoise(), makeNoise(0.1)];
  const otherNoise = makeNoise();
  const noiseAt = (n: number) => otherNoise[n] ?? 0;

  it("is the mean of its channels", () => {
    expect(readMono(voice)).toEqual(voice);
    expect(closeTo(readMono(voice, voice), voice)).toBeLessThan(1e-9);
    const three = readMono(
      voice,
      noise,
      voice.map((value) => -value),
    );
    expect(
      closeTo(
        three,
        noise.map((value) => value / 3),
      ),
    ).toBeLessThan(1e-9);
  });

  it("[V13] keeps its sound if one channel is inverted, at any time and however it is cut", () => {
    // Silent at first: the choice must not depend on where reading begins.
    const late = voice.map((value, n) => (n < 50 * RATE ? 0 : value));
    const inverted = late.map((value) => -0.9 * value);
    const source = new MonoSource(new ArraySource([late, inverted], RATE));
    const whole = source.read(0, late.length)[0]!;
    expect(closeTo(whole, late)).toBeLessThan(0.01);
    const again = new MonoSource(new ArraySource([late, inverted], RATE));
    expect(again.read(60 * RATE, RATE)[0]).toEqual(whole.subarray(60 * RATE, 61 * RATE));
  });

  it.each([
    { name: "an offset", left: () => 0.3, right: () => -0.3 },
    {
      name: "a louder sound in opposite phase",
      left: (n: number) => 1.4 * noiseAt(n),
      right: (n: number) => -1.4 * noiseAt(n),
    },
    {
      name: "rumble of another phase in each channel",
      left: (n: number) => 3 * Math.sin(n / 90),
      right: (n: number) => 3 * Math.sin(n / 90 + 2.5),
    },
  ])("[V13] keeps what is in the middle of both channels beside $name", ({ left, right }) => {
    const add = (other: (n: number) => number) => voice.map((value, n) => value + other(n));
    const mono = readMono(add(left), add(right));
    const expected = voice.map((value, n) => value + (left(n) + right(n)) / 2);
    expect(closeTo(mono, expected)).toBeLessThan(1e-9);
  });

  it("of a single sample, and of none, is no error", () => {
    expect(readMono(new Float32Array([0.5]), new Float32Array([0.5]))).toEqual(new Float32Array([0.5]));
    expect(readMono(new Float32Array(), new Float32Array())).toEqual(new Float32Array());
  });
});
