const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8000;
/** A longer Retry-After is not waited for: the error is thrown at once, with `retryAfterMs`. */
export const MAX_RETRY_AFTER_MS = 60_000;

/** Retry-After is either seconds or an HTTP date. */
export function parseRetryAfterMs(header: string | null, nowMs: number = Date.now()): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  const delayMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs);
}

/**
 * Delay before retry number `retry` (from 0): exponential backoff with jitter. Jitter is only ever added to Retry-After, so
 * that clients refused together do not come back together.
 */
export function makeRetryDelayMs(retry: number, retryAfterMs: number | undefined): number {
  if (retryAfterMs !== undefined) return retryAfterMs + Math.random() * FIRST_DELAY_MS;
  const ceilingMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** retry);
  return ceilingMs * (0.5 + 0.5 * Math.random());
}
