import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { reportWhileSlow } from "./report-while-slow.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("quick work is not reported, slow work is reported within two seconds and repeatedly", async () => {
  const messages: string[] = [];
  const report = { message: "copying", onProgress: (message: string) => messages.push(message) };
  expect(await reportWhileSlow(report, async () => "done")).toBe("done");
  expect(messages).toEqual([]);

  const slow = reportWhileSlow(report, () => new Promise<void>((resolve) => setTimeout(resolve, 8_000)));
  await vi.advanceTimersByTimeAsync(1_999);
  expect(messages).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(30_000);
  await slow;
  expect(messages).toEqual(["copying (2 s)", "copying (7 s)"]);
});
