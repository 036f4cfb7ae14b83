import { setTimeout as wait } from "node:timers/promises";

/** A permitted retry, and its earliest time. */
export type Retry = { afterMs: number };

/** Maximum share added at random, so that requests that failed together are not retried together. */
const JITTER = 0.25;

/** Waits before the next attempt; false if there is none. */
export async function waitForRetry(options: {
  retry: Retry | undefined;
  delayMs: number | undefined;
  /** A longer requested delay is not waited for. */
  longestMs: number;
  signal: AbortSignal;
}): Promise<boolean> {
  const { retry, delayMs, longestMs, signal } = options;
  if (retry === undefined || delayMs === undefined || retry.afterMs > longestMs) return false;
  await wait(Math.max(delayMs, retry.afterMs) * (1 + JITTER * Math.random()), undefined, { signal });
  return true;
}
