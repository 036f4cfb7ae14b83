import { setImmediate as yieldToLoop } from "node:timers/promises";
import { vi } from "vitest";

const STEP_MS = 50;

/** Timers stand still until `settle` moves them on; files and sockets work as ever. */
export const useFakeTime = () => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });

/** Moves the clock on until the promise has settled; gives what it came to, and after how long on that clock. */
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
