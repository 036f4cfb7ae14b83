const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8000;
/** A service that asks for more patience than this is not waited for: the caller gets the error, with `retryAfterMs`. */
export const RETRY_AFTER_MAX_MS = 60_000;

/** `Retry-After` is a number of seconds or a date. */
export function parseRetryAfterMs(header: string | null, nowMs: number = Date.now()): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  const delayMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs);
}

/**
 * How long to wait before retry `retry`, counted from 0. What the service asks for is never cut short, and a little is
 * added at random, so that clients which were refused together do not come back together.
 */
export function makeRetryDelayMs(retry: number, retryAfterMs: number | undefined): number {
  if (retryAfterMs !== undefined) return retryAfterMs + Math.random() * FIRST_DELAY_MS;
  const ceilingMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** retry);
  return ceilingMs * (0.5 + 0.5 * Math.random());
}
