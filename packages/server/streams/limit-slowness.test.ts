import { PassThrough } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { limitSlowness } from "./limit-slowness.ts";

const limits = { leastBytes: 100, withinMs: 60_000 };
const start = () => {
  const source = new PassThrough();
  const limited = source.pipe(limitSlowness(limits, () => new Error("too slow")));
  return { source, limited };
};

describe("a stream with a minimum rate", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  it("fails when bytes trickle", async () => {
    const { source, limited } = start();
    const whole = buffer(limited);
    source.write("x");
    await new Promise(setImmediate);
    vi.advanceTimersByTime(60_000);
    await expect(whole).rejects.toThrow("too slow");
    expect(vi.getTimerCount()).toBe(0);
  });

  it("passes on fast enough data, and leaves no timer", async () => {
    const { source, limited } = start();
    const whole = buffer(limited);
    source.write("x".repeat(100));
    await new Promise(setImmediate);
    vi.advanceTimersByTime(60_000);
    source.end("y");
    expect((await whole).toString()).toBe(`${"x".repeat(100)}y`);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("waits for a slow reader of ours", async () => {
    const { source, limited } = start();
    source.write("x");
    await new Promise(setImmediate);
    vi.advanceTimersByTime(180_000);
    source.end();
    expect((await buffer(limited)).toString()).toBe("x");
  });
});
