import { describe, expect, it } from "vitest";
import { findRetryDelayMs, RETRY_DELAYS_MS } from "./retry-delays.ts";

const HOUR_SECONDS = 3600;

describe("the retry schedule", () => {
  it("[W6] has ten tries: at once, then after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h", () => {
    expect(RETRY_DELAYS_MS.map((ms) => ms / 1000)).toEqual([
      5,
      300,
      1800,
      ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_SECONDS),
    ]);
    expect(findRetryDelayMs(9)).toBeDefined();
    expect(findRetryDelayMs(10)).toBeUndefined();
  });

  it("[W6] adds up to a tenth of jitter", () => {
    expect(findRetryDelayMs(1, [1000], () => 0)).toBe(1000);
    expect(findRetryDelayMs(1, [1000], () => 0.5)).toBe(1050);
    expect(findRetryDelayMs(1, [1000], () => 0.999)).toBe(1100);
  });
});
