import { describe, expect, it } from "vitest";
import { release } from "./release.ts";
import { DifferenceSource } from "./sources/difference-source.ts";

describe("release", () => {
  it("frees the memory of arrays", () => {
    const planes = [new Float32Array(1000), new Float32Array(1000)];
    release(planes);
    expect(planes.map(({ buffer }) => buffer.byteLength)).toEqual([0, 0]);
  });

  it("leaves shared memory alone", () => {
    const shared = new Float32Array(new SharedArrayBuffer(400));
    release([shared]);
    expect(shared).toHaveLength(100);
  });

  it("a difference releases its operands and not its result", () => {
    const given: Float32Array[] = [];
    const makeSource = (value: number) => ({
      channels: 1,
      sampleRateHz: 44_100,
      lengthFrames: 8,
      read: (_: number, lengthFrames: number) => {
        const plane = new Float32Array(lengthFrames).fill(value);
        given.push(plane);
        return [plane];
      },
    });
    const difference = new DifferenceSource(makeSource(3), makeSource(1)).read(0, 8);
    expect(difference).toEqual([new Float32Array(8).fill(2)]);
    expect(given.map(({ length }) => length)).toEqual([0, 0]);
  });
});
