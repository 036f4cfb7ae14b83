import { describe, expect, it } from "vitest";
import { type Guesser, SignInThrottled, tryPassword } from "./sign-in-throttle.ts";
import { guessGreedily, makeAttemptMemory } from "./support/guess-greedily.ts";

const QUARTER_SECONDS = 15 * 60;
const DAY_SECONDS = 24 * 3600;
const wrong = async () => false;
const right = async () => true;

const listPairs = (addresses: number, accounts: number): Guesser[] =>
  Array.from({ length: addresses * accounts }, (_, index) => ({
    address: `192.0.2.${index % addresses}`,
    account: `${Math.floor(index / addresses)}@example.com`,
  }));

function openMemory() {
  let nowMs = 0;
  const store = makeAttemptMemory(() => nowMs);
  return {
    pass: (seconds: number) => {
      nowMs += seconds * 1000;
    },
    try: (guesser: Guesser, check = wrong) => tryPassword(store, guesser, check),
    waitFor: async (guesser: Guesser, check = wrong) => {
      try {
        await tryPassword(store, guesser, check);
        return 0;
      } catch (error) {
        if (error instanceof SignInThrottled) return error.retryAfterSeconds;
        throw error;
      }
    },
  };
}
const VICTIM = { address: "198.51.100.1", account: "0@example.com" };

describe("guessing", () => {
  // The limits are those of ten attempts per account and fifty per address in 15 minutes, which these allowances replaced.
  it.each([
    { name: "one account from one address", guessers: listPairs(1, 1), perQuarter: 10 },
    { name: "one account from twelve addresses", guessers: listPairs(12, 1), perQuarter: 10 },
    { name: "thirty accounts from one address", guessers: listPairs(1, 30), perQuarter: 50 },
    { name: "a session", guessers: [{ session: "stolen" }], perQuarter: 10 },
    { name: "a browser that was signed in", guessers: [{ browserId: "known" }], perQuarter: 10 },
  ])("[PE4] $name is no faster than $perQuarter in 15 minutes", async ({ guessers, perQuarter }) => {
    const inQuarter = await guessGreedily(guessers, QUARTER_SECONDS);
    expect(inQuarter).toBeGreaterThan(0);
    expect(inQuarter).toBeLessThanOrEqual(perQuarter);
    const inDay = await guessGreedily(guessers, DAY_SECONDS);
    expect(inDay).toBeGreaterThan(inQuarter);
    expect(inDay).toBeLessThanOrEqual((perQuarter * DAY_SECONDS) / QUARTER_SECONDS);
  });

  it("[PE4] from one address never locks the account's owner out at another", async () => {
    const memory = openMemory();
    const [attacker] = listPairs(1, 1);
    if (!attacker) throw new Error("no attacker");
    for (let minute = 0; minute < 24 * 60; minute++) {
      await memory.waitFor(attacker);
      expect(await memory.waitFor(VICTIM, right), `after ${minute} minutes`).toBe(0);
      memory.pass(60);
    }
  });

  it("[PE4] from many addresses leaves known browsers and sessions alone", async () => {
    const memory = openMemory();
    for (const guesser of listPairs(50, 1)) await memory.waitFor(guesser);
    expect(await memory.waitFor(VICTIM, right)).toBe(300);
    expect(await memory.waitFor({ browserId: "the owner's" }, right)).toBe(0);
    expect(await memory.waitFor({ session: "the owner's" }, right)).toBe(0);
  });

  it("[PE4] slows an address by half a minute at most", async () => {
    const memory = openMemory();
    for (const guesser of listPairs(1, 60)) await memory.waitFor(guesser);
    const neighbour = { address: "192.0.2.0", account: "neighbour@example.com" };
    expect(await memory.waitFor(neighbour, right)).toBe(30);
    memory.pass(30);
    expect(await memory.waitFor(neighbour, right)).toBe(0);
  });

  it("[PE4] of one account at one address waits longer each time, and is forgotten when the password is right", async () => {
    const memory = openMemory();
    const waits = [];
    for (let attempt = 0; attempt < 10; attempt++) {
      const seconds = await memory.waitFor(VICTIM);
      waits.push(seconds);
      memory.pass(seconds);
      if (seconds > 0) expect(await memory.waitFor(VICTIM)).toBe(0);
    }
    expect(waits).toEqual([0, 0, 0, 0, 60, 120, 240, 480, 900, 900]);
    memory.pass(900);
    expect(await memory.try(VICTIM, right)).toBe(true);
    for (let attempt = 0; attempt < 4; attempt++) expect(await memory.waitFor(VICTIM)).toBe(0);
  });

  it("[PE4] is not sped up by right passwords in between", async () => {
    const memory = openMemory();
    let checked = 0;
    for (let attempt = 0; attempt < 100; attempt++) {
      await memory.waitFor({ address: `192.0.2.${attempt}`, account: VICTIM.account }, async () => {
        checked += 1;
        return false;
      });
      await memory.waitFor(VICTIM, right);
    }
    expect(checked).toBe(7);
  });
});
