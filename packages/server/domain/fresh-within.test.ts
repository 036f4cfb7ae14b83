import { expect, it } from "vitest";
import { freshWithin } from "./fresh-within.ts";

it("[G14] slow counts return the previous value, and the next call gets the new one", async () => {
  const loads: PromiseWithResolvers<number>[] = [];
  const read = freshWithin(1, () => {
    const load = Promise.withResolvers<number>();
    loads.push(load);
    return load.promise;
  });
  const first = read();
  loads[0]?.resolve(1);
  // The first call has nothing to fall back on.
  expect(await first).toBe(1);
  expect([await read(), await read(), loads.length]).toEqual([1, 1, 2]);
  loads[1]?.resolve(2);
  await loads[1]?.promise;
  const third = read();
  loads[2]?.resolve(3);
  expect(await third).toBe(3);
});

it("[G14] a failed count rejects, and the next call retries it", async () => {
  let turn = 0;
  const read = freshWithin(10_000, async () => {
    turn += 1;
    if (turn === 2) throw new Error("away");
    return turn;
  });
  expect(await read()).toBe(1);
  await expect(read()).rejects.toThrow("away");
  expect(await read()).toBe(3);
});
