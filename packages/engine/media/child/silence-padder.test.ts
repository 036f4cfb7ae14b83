import { describe, expect, it } from "vitest";
import { SilencePadder } from "./silence-padder.ts";

const RATE_HZ = 48_000;
const block = (startSeconds: number | undefined, isAfterError = false) => ({
  startSeconds,
  lengthFrames: RATE_HZ,
  isAfterError,
});

describe("Timeline", () => {
  it("leaves a stream without gaps alone, wherever it starts", () => {
    const timeline = new SilencePadder(RATE_HZ);
    expect([3.5, 4.5, 5.5].map((start) => timeline.place(block(start)))).toEqual([0, 0, 0]);
  });

  it("fills exactly the gap of an undecodable packet", () => {
    const timeline = new SilencePadder(RATE_HZ);
    timeline.place(block(0));
    expect(timeline.place(block(1 + 1024 / RATE_HZ, true))).toBe(1024);
    expect(timeline.place(block(2 + 1024 / RATE_HZ))).toBe(0);
  });

  it("treats small deviations without an error as rounding", () => {
    const timeline = new SilencePadder(RATE_HZ);
    timeline.place(block(0));
    expect(timeline.place(block(1.02))).toBe(0);
  });

  it("fills a real gap without an error too", () => {
    const timeline = new SilencePadder(RATE_HZ);
    timeline.place(block(0));
    expect(timeline.place(block(1.5))).toBe(RATE_HZ / 2);
  });

  it("treats a jump of hours as a wrong time stamp and continues from there", () => {
    const timeline = new SilencePadder(RATE_HZ);
    timeline.place(block(0));
    expect(timeline.place(block(1e9, true))).toBe(0);
    expect(timeline.place(block(1e9 + 1, true))).toBe(0);
  });

  it("fills a missing start when given the stream's start time", () => {
    expect(new SilencePadder(RATE_HZ, 0).place(block(0.25, true))).toBe(RATE_HZ / 4);
  });

  it("works without times if the container has none", () => {
    const timeline = new SilencePadder(RATE_HZ);
    expect([undefined, undefined].map((start) => timeline.place(block(start, true)))).toEqual([0, 0]);
  });
});
