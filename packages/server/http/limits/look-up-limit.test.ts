import { afterEach, describe, expect, it, vi } from "vitest";
import { useFakeTime } from "../../../../test/support/fake-time.ts";
import { makeLookUpLimit } from "./look-up-limit.ts";

afterEach(() => void vi.useRealTimers());

const MAX = 60;
const OVER = new Error("over the limit");
const WRONG = new Error("wrong key");

function makeLimit() {
  const wrong = new Map<string, number>();
  const lookUps: string[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  const limit = makeLookUpLimit({
    readLeft: (address) => MAX - (wrong.get(address) ?? 0),
    isWrong: (error) => error === WRONG,
    countWrong: async (address) => void wrong.set(address, (wrong.get(address) ?? 0) + 1),
    makeError: () => OVER,
  });
  const ask = (key: string, address = "192.0.2.1") =>
    limit({ address, key }, async () => {
      lookUps.push(key);
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      await new Promise(setImmediate);
      atOnce -= 1;
      if (key.startsWith("wrong")) throw WRONG;
      return key;
    });
  const endWindow = () => wrong.clear();
  return { ask, limit, lookUps, endWindow, readMostAtOnce: () => mostAtOnce };
}
const flood = ({ ask }: ReturnType<typeof makeLimit>, keys: number) =>
  Promise.allSettled(Array.from({ length: keys }, (_, index) => ask(`wrong ${index}`)));

describe("look-ups of keys", () => {
  it("[E5] of 600 invented ones at once there are 60, five at a time", async () => {
    const made = makeLimit();
    const answers = await flood(made, 600);
    const reasons = answers.map((answer) => answer.status === "rejected" && answer.reason);
    expect(reasons.filter((reason) => reason === WRONG)).toHaveLength(60);
    expect(reasons.filter((reason) => reason === OVER)).toHaveLength(540);
    expect([made.lookUps.length, made.readMostAtOnce()]).toEqual([60, 5]);
    await flood(made, 100);
    expect(made.lookUps).toHaveLength(60);
    made.endWindow();
    await flood(made, 100);
    expect(made.lookUps).toHaveLength(120);
  });

  it("[E5] that were valid before pass meanwhile, until they are wrong", async () => {
    const made = makeLimit();
    await made.ask("known");
    const flooding = flood(made, 600);
    expect(await made.ask("known")).toBe("known");
    await flooding;
    expect(await made.ask("known")).toBe("known");
    await expect(made.ask("new")).rejects.toBe(OVER);
    expect(await made.ask("new", "192.0.2.2")).toBe("new");
    const revoked = made.limit({ address: "192.0.2.1", key: "known" }, () => Promise.reject(WRONG));
    await expect(revoked).rejects.toBe(WRONG);
    await expect(made.ask("known")).rejects.toBe(OVER);
  });

  it("[E5] of valid ones are never refused, however many keys an address has", async () => {
    const { ask } = makeLimit();
    const keys = Array.from({ length: 500 }, (_, index) => `key ${index}`);
    expect(await Promise.all(keys.map((key) => ask(key)))).toEqual(keys);
  });

  it("[E5] without a caller teach nothing about the key", async () => {
    const made = makeLimit();
    expect(await made.limit({ address: "192.0.2.1", key: "token" }, async () => null)).toBeNull();
    await flood(made, 100);
    await expect(made.ask("token")).rejects.toBe(OVER);
  });

  it("[E9] pass two seconds later if the database does not respond", async () => {
    useFakeTime();
    const { limit } = makeLimit();
    const started: number[] = [];
    const hang = (key: number) =>
      limit({ address: "192.0.2.1", key: String(key) }, () => {
        started.push(key);
        return new Promise<string>(() => {});
      });
    for (let key = 0; key < 8; key += 1) void hang(key);
    await vi.advanceTimersByTimeAsync(1900);
    expect(started).toHaveLength(5);
    await vi.advanceTimersByTimeAsync(200);
    expect(started).toHaveLength(8);
  });
});
