import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { forEachOf } from "./for-each-of.ts";

it("[R4] files are removed a few at a time, and a failure rejects once the others have settled", async () => {
  let underWay = 0;
  let most = 0;
  const done: number[] = [];
  const work = async (item: number) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await turn();
    underWay -= 1;
    if (item === 7) throw new Error("seven");
    done.push(item);
  };
  await forEachOf([1, 2, 3, 4, 5], 3, work);
  expect([most, done]).toEqual([3, [1, 2, 3, 4, 5]]);
  await expect(forEachOf([6, 7, 8, 9, 10, 11, 12, 13], 2, work)).rejects.toThrow("seven");
  expect(underWay).toBe(0);
  expect(done.length).toBeLessThan(5 + 7);
});
