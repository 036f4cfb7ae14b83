import { describe, expect, it } from "vitest";
import { writeDetection } from "./write-detection.ts";

const regions = [
  { startSeconds: 0, endSeconds: 12.3456, confidence: 0.98765 },
  { startSeconds: 20.5, endSeconds: 31, confidence: 0.61 },
];

describe("music regions as a file", () => {
  it("[H2] are an array of start_time, end_time and confidence in json", () => {
    expect(JSON.parse(writeDetection(regions, "json"))).toEqual([
      { start_time: 0, end_time: 12.346, confidence: 0.9877 },
      { start_time: 20.5, end_time: 31, confidence: 0.61 },
    ]);
    expect(writeDetection([], "json")).toBe("[]\n");
  });

  it("[H2] shorter than half a millisecond are left out", () => {
    expect(writeDetection([{ startSeconds: 0, endSeconds: 1 / 44_100, confidence: 0.5 }], "json")).toBe(
      "[]\n",
    );
  });

  it("[H2] are one line each in txt", () => {
    expect(writeDetection(regions, "txt")).toBe("0.000\t12.346\t0.9877\n20.500\t31.000\t0.6100\n");
    expect(writeDetection([], "txt")).toBe("");
  });
});
