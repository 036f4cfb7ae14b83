import { describe, expect, it } from "vitest";
import { toWrittenSeconds } from "./frame-source.ts";

describe("toWrittenSeconds", () => {
  it("never rounds past the end", () => {
    expect(toWrittenSeconds({ lengthFrames: 88_233, sampleRateHz: 44_100 })).toBe(2);
    expect(toWrittenSeconds({ lengthFrames: 88_200, sampleRateHz: 44_100 })).toBe(2);
    expect(toWrittenSeconds({ lengthFrames: 88_199, sampleRateHz: 44_100 })).toBe(1.999);
  });
});
