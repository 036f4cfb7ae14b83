import { setImmediate as yieldToLoop } from "node:timers/promises";
import { vi } from "vitest";

const STEP_MS = 50;

/** Timers stand still until `settle` advances them; files and sockets work normally. */
export const useFakeTime = () => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });

/** Advances the clock until the promise has settled; returns the result, and the time it took on that clock. */
export async function settle<Value>(promise: Promise<Value>) {
  const startMs = Date.now();
  let outcome: { value?: Value; error?: unknown } | undefined;
  promise.then(
    (value) => {
      outcome = { value };
    },
    (error: unknown) => {
      outcome = { error };
    },
  );
  await yieldToLoop();
  while (!outcome) {
    await vi.advanceTimersByTimeAsync(STEP_MS);
    await yieldToLoop();
  }
  return { ...outcome, waitedMs: Date.now() - startMs };
}
