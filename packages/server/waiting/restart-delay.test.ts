import { expect, it } from "vitest";
import { makeRestartDelay } from "./restart-delay.ts";

it("[S4] restarts are immediate at first, then with growing delays, and immediate again after a good run", () => {
  const delay = makeRestartDelay();
  const delays = Array.from({ length: 10 }, () => delay.findMs(0));
  expect(delays).toEqual([0, 250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  expect([delay.findMs(61_000), delay.findMs(10)]).toEqual([0, 250]);
});
