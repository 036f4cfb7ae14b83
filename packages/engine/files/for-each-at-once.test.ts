import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { forEachAtOnce } from "./for-each-at-once.ts";

it("processes all items in order, never more at once than allowed", async () => {
  const started: number[] = [];
  let atWork = 0;
  let most = 0;
  await forEachAtOnce([1, 2, 3, 4, 5], 2, async (item) => {
    started.push(item);
    most = Math.max(most, ++atWork);
    await setImmediate();
    atWork--;
  });
  expect(started).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});

it("stops at the first error, once items in progress have settled", async () => {
  const ended: number[] = [];
  const work = forEachAtOnce([1, 2, 3, 4], 2, async (item) => {
    if (item === 1) throw new Error("full disk");
    await setImmediate();
    ended.push(item);
  });
  await expect(work).rejects.toThrow("full disk");
  expect(ended).toEqual([2]);
});
