import { describe, expect, it } from "vitest";
import { listTicks } from "./ruler-ticks.ts";

describe("[PV11] the ruler", () => {
  it.each([
    [0, 10_800, 1100, 900],
    [0, 180, 1100, 15],
    [0, 180, 300, 60],
    [12.3, 13.3, 1100, 0.1],
  ])("from %d s to %d s on %d px has a label every %d s", (start, end, width, step) => {
    const ticks = listTicks(start, end, width);
    expect(ticks.length).toBeGreaterThan(1);
    for (const [n, tick] of ticks.entries()) {
      expect(tick).toBeGreaterThanOrEqual(start);
      expect(tick).toBeLessThanOrEqual(end);
      if (n > 0) expect(tick - (ticks[n - 1] ?? 0)).toBeCloseTo(step, 5);
    }
  });
});
