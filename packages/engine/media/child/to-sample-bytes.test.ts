import { AV_SAMPLE_FMT_FLTP, AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S32 } from "node-av/constants";
import { describe, expect, it } from "vitest";
import { toSampleBytes } from "./to-sample-bytes.ts";

describe("toSampleBytes", () => {
  it("rounds and clips to 16 bits", () => {
    const block = Float32Array.of(0, 0.5, -1, 1, 7, -7, 0.6 / 32768);
    const { bytes, clippedSamples } = toSampleBytes(block, 1, AV_SAMPLE_FMT_S16);
    expect(clippedSamples).toBe(2);
    const values = Array.from({ length: 7 }, (_, i) => bytes.readInt16LE(i * 2));
    expect(values).toEqual([0, 16384, -32768, 32767, 32767, -32768, 1]);
  });

  it("rounds to 24 bits instead of truncating", () => {
    const { bytes } = toSampleBytes(
      Float32Array.of(-0.4 / 8388608, 0.6 / 8388608, 2, -2),
      1,
      AV_SAMPLE_FMT_S32,
    );
    const values = Array.from({ length: 4 }, (_, i) => bytes.readInt32LE(i * 4) / 256);
    expect(values).toEqual([0, 1, 8388607, -8388608]);
  });

  it("stores channels one after another for planar formats", () => {
    const { bytes } = toSampleBytes(Float32Array.of(1, 2, 3, 4, 5, 6), 2, AV_SAMPLE_FMT_FLTP);
    expect(Array.from({ length: 6 }, (_, i) => bytes.readFloatLE(i * 4))).toEqual([1, 3, 5, 2, 4, 6]);
  });
});
