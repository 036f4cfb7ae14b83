import { expect, it } from "vitest";
import { toCreatedBetween } from "./created-between.ts";

it("[L4] days are filtered from midnight to midnight in the browser's time zone, both included", () => {
  expect(toCreatedBetween("2026-02-27", "2026-02-28")).toEqual({
    createdAfter: new Date(2026, 1, 27).toISOString(),
    createdBefore: new Date(2026, 2, 1).toISOString(),
  });
  expect(toCreatedBetween(undefined, "2026-02-28")).not.toHaveProperty("createdAfter");
  expect(toCreatedBetween("soon; --", "")).toEqual({});
});
