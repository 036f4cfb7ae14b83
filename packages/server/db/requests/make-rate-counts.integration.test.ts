import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { deleteOldRateCounts, makeRateCounts } from "./make-rate-counts.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const HOUR_MS = 3_600_000;
const setBack = (subject: string, seconds: number) =>
  database.pool.query(
    "update rate_counts set started_at = started_at - $2 * interval '1 second' where subject = $1",
    [subject, seconds],
  );

it("[E5] counts add up within a window, restart in the next one, and are deleted", async () => {
  const counts = makeRateCounts(database.db);
  const totalOf = async (asks: Record<string, number>) =>
    [...(await counts.add(new Map(Object.entries(asks)), HOUR_MS))]
      .map(([subject, { total }]) => `${subject} ${total}`)
      .sort();
  expect(await totalOf({ a: 3, b: 1 })).toEqual(["a 3", "b 1"]);
  expect(await totalOf({ a: 4 })).toEqual(["a 7"]);
  await setBack("a", 1800);
  const answer = (await counts.add(new Map([["a", 1]]), HOUR_MS)).get("a");
  expect(answer?.total).toBe(8);
  expect(answer?.msLeft).toBeLessThan(HOUR_MS / 2);
  await setBack("a", 1801);
  expect(await totalOf({ a: 2, b: 1 })).toEqual(["a 2", "b 2"]);
  await setBack("b", 61);
  expect(await deleteOldRateCounts(database.db)).toBe(1);
  expect(await totalOf({ a: 1, b: 1 })).toEqual(["a 3", "b 1"]);
});

it("[E5] concurrent requests are all counted", async () => {
  const counts = makeRateCounts(database.db);
  const asks = Array.from({ length: 40 }, () =>
    counts.add(
      new Map([
        ["x", 1],
        ["y", 2],
      ]),
      HOUR_MS,
    ),
  );
  const totals = (await Promise.all(asks)).map((answer) => answer.get("x")?.total ?? 0);
  expect(totals.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
});
