import { expect, it } from "vitest";
import { forEachAhead } from "./for-each-ahead.ts";

it("each item is started before the previous one is taken, and they are taken in order", async () => {
  const events: string[] = [];
  await forEachAhead(
    { from: 2, to: 5 },
    async (index) => {
      events.push(`begin ${index}`);
      return index * 10;
    },
    (made, index) => events.push(`take ${index}: ${made}`),
  );
  expect(events).toEqual(["begin 2", "begin 3", "take 2: 20", "begin 4", "take 3: 30", "take 4: 40"]);
});

it("items made before a failure are taken, and none is started after it", async () => {
  const begun: number[] = [];
  const taken: number[] = [];
  const work = forEachAhead(
    { from: 0, to: 5 },
    async (index) => {
      begun.push(index);
      if (index === 1) throw new Error("no second one");
      return index;
    },
    (made) => taken.push(made),
  );
  await expect(work).rejects.toThrow("no second one");
  expect({ begun, taken }).toEqual({ begun: [0, 1, 2], taken: [0] });
});

it("does nothing for an empty range", async () => {
  await forEachAhead(
    { from: 3, to: 3 },
    () => Promise.reject(new Error("made")),
    () => {},
  );
});
