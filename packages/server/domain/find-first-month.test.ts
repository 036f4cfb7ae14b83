import { describe, expect, it } from "vitest";
import { findFirstMonth } from "./find-first-month.ts";

describe("months of statistics", () => {
  it.each([
    [1, "2026-03-31T23:59:59.999Z", "2026-03"],
    [2, "2026-03-31T00:00:00.000Z", "2026-02"],
    [3, "2026-01-01T00:00:00.000Z", "2025-11"],
    [13, "2026-02-28T12:00:00.000Z", "2025-02"],
    [1, "2026-04-01T01:30:00.000+02:00", "2026-03"],
  ])("[X3] the last %i as of %s begin with %s", (months, now, first) => {
    expect(findFirstMonth(months, new Date(now))).toBe(first);
  });
});
