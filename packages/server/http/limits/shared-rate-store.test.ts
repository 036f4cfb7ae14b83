import { describe, expect, it } from "vitest";
import type { RateCounts } from "../../domain/requests/rate-counts.ts";
import { makeRateCounter, type RateCounter } from "./shared-rate-store.ts";

/** Windows longer than a test, so that none depends on how fast it runs. */
const SETTINGS = { max: 60, windowMs: 3_600_000 };
const FREE = 5;

function makeCounts() {
  const totals = new Map<string, number>();
  const statements: number[] = [];
  const counts: RateCounts = {
    async add(asks, msLeft) {
      statements.push(asks.size);
      for (const [subject, wanted] of asks) totals.set(subject, (totals.get(subject) ?? 0) + wanted);
      return new Map(
        [...asks.keys()].map((subject) => [subject, { total: totals.get(subject) ?? 0, msLeft }]),
      );
    },
  };
  return { counts, statements };
}
const never = () => {
  throw new Error("not away");
};
const isAllowed = async ({ count }: RateCounter, subject: string) =>
  (await count(subject, SETTINGS)).current <= SETTINGS.max;
async function countAllowed(counters: RateCounter[], requests: number): Promise<number> {
  const answers = Array.from({ length: requests }, (_, index) =>
    isAllowed(counters[index % counters.length] as RateCounter, "key"),
  );
  return (await Promise.all(answers)).filter(Boolean).length;
}

describe("requests counted by several processes", () => {
  it("[E5] of one process are limited, and the remainder is reported", async () => {
    const { counts } = makeCounts();
    const { count, read } = makeRateCounter(counts, never);
    const currents: number[] = [];
    for (let turn = 0; turn < 62; turn += 1) currents.push((await count("key", SETTINGS)).current);
    expect(currents).toEqual([...Array.from({ length: 60 }, (_, index) => index + 1), 61, 61]);
    expect([read("key", SETTINGS).current, read("another", SETTINGS).current]).toEqual([61, 0]);
  });

  it("[E5] of several share the limit, and exceed it by at most a twelfth for each further process", async () => {
    const { counts } = makeCounts();
    const counters = [1, 2, 3].map(() => makeRateCounter(counts, never));
    const allowed = await countAllowed(counters, 600);
    expect(allowed).toBeGreaterThanOrEqual(SETTINGS.max - 2 * 9);
    expect(allowed).toBeLessThanOrEqual(SETTINGS.max + 2 * FREE);
  });

  it("[E5] of occasional callers cost no query, and of frequent ones few", async () => {
    const { counts, statements } = makeCounts();
    const counter = makeRateCounter(counts, never);
    const ask = (times: number) =>
      Promise.all(
        Array.from({ length: times * 100 }, (_, index) => isAllowed(counter, `key ${index % 100}`)),
      );
    await ask(FREE);
    expect(statements).toEqual([]);
    expect(await ask(20)).toEqual(Array(2000).fill(true));
    // For a hundred keys at once: 2,000 requests.
    expect(statements).toEqual([100, 100]);
  });

  it("[E5] are counted per process while the database is unavailable, and together once it is back", async () => {
    const { counts } = makeCounts();
    let isAway = true;
    const failures: unknown[] = [];
    const away: RateCounts = {
      add: (...asked) => (isAway ? Promise.reject(new Error("away")) : counts.add(...asked)),
    };
    const counters = [1, 2].map(() => makeRateCounter(away, (error) => failures.push(error)));
    expect(await countAllowed(counters, 400)).toBe(2 * SETTINGS.max);
    expect(failures).toHaveLength(2);
    isAway = false;
    const other = makeRateCounter(away, never);
    expect(await countAllowed([other], 100)).toBe(SETTINGS.max);
  });
});
