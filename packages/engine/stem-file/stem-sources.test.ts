import { describe, expect, it } from "vitest";
import type { FrameSource } from "../dsp/sources/frame-source.ts";
import { addSources, makeRest, skipFrames, toStereo } from "./stem-sources.ts";

const SHAPE = { sampleRateHz: 8000, lengthFrames: 3 };
const holding = (...planes: number[][]): FrameSource => ({
  ...SHAPE,
  channels: planes.length,
  read: (start, count) =>
    planes.map((plane) => Float32Array.from({ length: count }, (_, n) => plane[start + n] ?? 0)),
});
const readAll = (source: FrameSource) => source.read(0, 3).map((plane) => [...plane]);

describe("the tracks of a stem file", () => {
  it("[EX4] are stereo, even if the recording is mono", () => {
    expect(readAll(toStereo(holding([1, 2, 3]), SHAPE))).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  it("[O31] begin behind the silence before a video's audio", () => {
    const begun = skipFrames(holding([0, 0, 5]), 2);
    expect(begun.lengthFrames).toBe(1);
    expect(readAll(begun)).toEqual([[5, 0, 0]]);
  });

  it("[EX4] of a deleted recording add up to its mix, with nothing left over", () => {
    const stems = [holding([1, 2, 3], [1, 1, 1]), holding([4, 4, 4], [0, 1, 2])];
    const mix = addSources(stems, SHAPE);
    expect(readAll(mix)).toEqual([
      [5, 6, 7],
      [1, 2, 3],
    ]);
    expect(readAll(makeRest(mix, stems)).flat()).toEqual([0, 0, 0, 0, 0, 0]);
    expect(readAll(makeRest(mix, stems.slice(1)))).toEqual(readAll(stems[0] ?? mix));
  });
});
