import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, expect, it, vi } from "vitest";
import { SLOWEST } from "../streams/limit-slowness.ts";
import { guardContent } from "./guard-content.ts";

afterEach(() => vi.useRealTimers());

it("[N5] what an object contains passes through, and what goes wrong is a BucketError", async () => {
  expect(await text(guardContent(Readable.from([Buffer.from("la "), Buffer.from("la")])))).toBe("la la");
  const broken = new PassThrough();
  broken.write("la");
  broken.destroy(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
  const failure = { name: "BucketError", kind: "failed", isTransient: true };
  await expect(text(guardContent(broken))).rejects.toMatchObject(failure);
});

it("[T11] a reader that stops closes the content", async () => {
  const content = new PassThrough();
  content.write("la");
  for await (const chunk of guardContent(content)) {
    expect(String(chunk)).toBe("la");
    break;
  }
  await vi.waitFor(() => expect(content.destroyed).toBe(true));
});

it("[N5] a bucket that trickles data is a temporary failure", async () => {
  vi.useFakeTimers();
  const content = new PassThrough();
  const reading = text(guardContent(content));
  const failure = expect(reading).rejects.toMatchObject({ name: "BucketError", isTransient: true });
  content.write("la");
  await vi.advanceTimersByTimeAsync(2 * SLOWEST.withinMs);
  await failure;
  expect(content.destroyed).toBe(true);
});
