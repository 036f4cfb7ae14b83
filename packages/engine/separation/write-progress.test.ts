import { expect, it } from "vitest";
import { WriteProgress } from "./write-progress.ts";

it("readers wait for the frames they need, and not for those that exist", async () => {
  const gauge = new WriteProgress();
  const reached: number[] = [];
  const waits = [30, 10, 20].map((frames) => gauge.reached(frames).then(() => reached.push(frames)));
  gauge.rise(20);
  await Promise.all(waits.slice(1));
  expect(reached.toSorted()).toEqual([10, 20]);
  await gauge.reached(20);
  gauge.rise(Number.POSITIVE_INFINITY);
  await Promise.all(waits);
  expect(reached).toHaveLength(3);
});

it("rejects current and later readers with the failure; existing frames can be read", async () => {
  const gauge = new WriteProgress();
  gauge.rise(10);
  const waiting = gauge.reached(11);
  gauge.fail(new Error("killed"));
  await expect(waiting).rejects.toThrow("killed");
  await expect(gauge.reached(11)).rejects.toThrow("killed");
  await gauge.reached(10);
});
