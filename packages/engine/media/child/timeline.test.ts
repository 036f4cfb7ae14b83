import { describe, expect, it } from "vitest";
import { Timeline } from "./timeline.ts";

const RATE_HZ = 48_000;
const block = (startSeconds: number | undefined, isAfterError = false) => ({
  startSeconds,
  lengthFrames: RATE_HZ,
  isAfterError,
});

describe("Timeline", () => {
  it("leaves a stream without gaps alone, wherever it starts", () => {
    const timeline = new Timeline(RATE_HZ);
    expect([3.5, 4.5, 5.5].map((start) => timeline.place(block(start)))).toEqual([0, 0, 0]);
  });

  it("fills exactly what an undecodable packet left out", () => {
    const timeline = new Timeline(RATE_HZ);
    timeline.place(block(0));
    expect(timeline.place(block(1 + 1024 / RATE_HZ, true))).toBe(1024);
    expect(timeline.place(block(2 + 1024 / RATE_HZ))).toBe(0);
  });

  it("takes small deviations without an error for rounding", () => {
    const timeline = new Timeline(RATE_HZ);
    timeline.place(block(0));
    expect(timeline.place(block(1.02))).toBe(0);
  });

  it("fills a real gap without an error too", () => {
    const timeline = new Timeline(RATE_HZ);
    timeline.place(block(0));
    expect(timeline.place(block(1.5))).toBe(RATE_HZ / 2);
  });

  it("takes a jump of hours for a wrong time stamp and goes on from there", () => {
    const timeline = new Timeline(RATE_HZ);
    timeline.place(block(0));
    expect(timeline.place(block(1e9, true))).toBe(0);
    expect(timeline.place(block(1e9 + 1, true))).toBe(0);
  });

  it("fills what is missing at the start when it is told where the stream begins", () => {
    expect(new Timeline(RATE_HZ, 0).place(block(0.25, true))).toBe(RATE_HZ / 4);
  });

  it("goes without times where the container has none", () => {
    const timeline = new Timeline(RATE_HZ);
    expect([undefined, undefined].map((start) => timeline.place(block(start, true)))).toEqual([0, 0]);
  });
});
