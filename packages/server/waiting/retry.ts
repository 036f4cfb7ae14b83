import { setTimeout as wait } from "node:timers/promises";

/** What may be tried again, and no sooner than when. */
export type Retry = { afterMs: number };

/** Up to so much more, at random, so that what failed together does not come back together. */
const JITTER = 0.25;

/** Waits before the next try; false when there is to be none. */
export async function waitForRetry(options: {
  retry: Retry | undefined;
  delayMs: number | undefined;
  /** Who asks us to wait for longer is not waited for. */
  longestMs: number;
  signal: AbortSignal;
}): Promise<boolean> {
  const { retry, delayMs, longestMs, signal } = options;
  if (retry === undefined || delayMs === undefined || retry.afterMs > longestMs) return false;
  await wait(Math.max(delayMs, retry.afterMs) * (1 + JITTER * Math.random()), undefined, { signal });
  return true;
}
