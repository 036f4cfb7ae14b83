const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Delays between tries. With the first one, which is immediate, ten tries in three days. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** Maximum share added at random, so that calls that failed together are not retried together. */
const JITTER = 0.1;

/** The delay before the next try; undefined if there is none. */
export function findRetryDelayMs(
  attempts: number,
  delaysMs: readonly number[] = RETRY_DELAYS_MS,
  random: () => number = Math.random,
): number | undefined {
  const delayMs = delaysMs[attempts - 1];
  return delayMs === undefined ? undefined : Math.round(delayMs * (1 + JITTER * random()));
}
