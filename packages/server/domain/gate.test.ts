import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeGate } from "./gate.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const OVERLOADED = { code: "OVERLOADED" };

describe("a gate", () => {
  it("[E10] admits up to the maximum, queues a few and refuses the rest at once", async () => {
    const gate = makeGate({ max: 2, waitersMax: 1, waitMs: 1000 });
    const leave = await gate.enter();
    await gate.enter();
    const waiting = gate.enter();
    expect(gate.isFull()).toBe(true);
    await expect(gate.enter()).rejects.toMatchObject(OVERLOADED);
    leave();
    await waiting;
    expect(gate.isFull()).toBe(false);
  });

  it("[E10] releasing twice frees one place", async () => {
    const gate = makeGate({ max: 1, waitersMax: 2, waitMs: 1000 });
    const leave = await gate.enter();
    const waiting = [gate.enter(), gate.enter()];
    leave();
    leave();
    await waiting[0];
    const second = vi.fn();
    void waiting[1]?.then(second, () => {});
    await vi.advanceTimersByTimeAsync(500);
    expect(second).not.toHaveBeenCalled();
  });

  it("[E10] refuses requests that have waited too long", async () => {
    const gate = makeGate({ max: 1, waitersMax: 5, waitMs: 1000 });
    const leave = await gate.enter();
    const refused = expect(gate.enter()).rejects.toMatchObject(OVERLOADED);
    await vi.advanceTimersByTimeAsync(1000);
    await refused;
    leave();
    (await gate.enter())();
  });

  it("[E10] lets those who wait take turns, and leaves half of the room to wait in to others", async () => {
    const gate = makeGate({ max: 1, waitersMax: 6, waitMs: 1000 });
    const order: string[] = [];
    const enter = async (name: string) => {
      const leave = await gate.enter(name);
      order.push(name);
      return leave;
    };
    const first = await enter("a");
    const rest = [enter("a"), enter("a"), enter("a"), enter("b"), enter("c"), enter("b")];
    await expect(gate.enter("a")).rejects.toMatchObject(OVERLOADED);
    await expect(gate.enter("d")).rejects.toMatchObject(OVERLOADED);
    first();
    for (let left = [...rest]; left.length > 0; ) {
      const [leave, index] = await Promise.race(left.map(async (one, n) => [await one, n] as const));
      left = left.filter((_, n) => n !== index);
      leave();
    }
    expect(order).toEqual(["a", "a", "b", "c", "a", "b", "a"]);
  });

  it("[E10] leaves half of the places to others, in order of arrival", async () => {
    const gate = makeGate({ max: 4, waitersMax: 10, waitMs: 1000 });
    const order: string[] = [];
    const enter = (name: string) =>
      gate.enter(name).then((leave) => {
        order.push(name);
        return leave;
      });
    const first = await enter("a");
    await enter("a");
    void enter("a").catch(() => {});
    await enter("b");
    await enter("c");
    const fourth = enter("b");
    expect(order).toEqual(["a", "a", "b", "c"]);
    first();
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual(["a", "a", "b", "c", "a"]);
    void fourth.catch(() => {});
  });
});
