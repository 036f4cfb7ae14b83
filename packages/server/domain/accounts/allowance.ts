/** How many attempts are free at first, and how long one has to wait after that. */
export type Allowance = {
  /** The level falls by one in this time. */
  leakSeconds: number;
  levelMax: number;
  /** How long after an attempt that raised the level to this the next one is allowed. */
  pauseSeconds(level: number): number;
};

/** What is counted, by a hash of what it is, and how much of it is allowed. */
export type AttemptCounter = { subject: Buffer; allowance: Allowance };

/** Attempts so far, less those that had leaked away at `atMs`. */
export type Counted = { level: number; atMs: number };

/** Some at once, then one in each interval. */
export const makeSteadyAllowance = (free: number, secondsEach: number): Allowance => ({
  leakSeconds: secondsEach,
  levelMax: free,
  pauseSeconds: (level) => Math.max(0, level - free + 1) * secondsEach,
});

/** Some at once, then each pause is longer than the one before, up to the last. */
export const makeBackoffAllowance = (
  free: number,
  pausesSeconds: readonly number[],
  leakSeconds: number,
): Allowance => ({
  leakSeconds,
  levelMax: free + pausesSeconds.length - 1,
  pauseSeconds(level) {
    const over = Math.round(level) - free;
    return over < 0 ? 0 : (pausesSeconds.at(Math.min(over, pausesSeconds.length - 1)) ?? 0);
  },
});

/** How long until the next attempt is allowed; 0 if it is allowed now. */
export const toWaitSeconds = (counted: Counted, allowance: Allowance, nowMs: number): number =>
  Math.max(0, allowance.pauseSeconds(counted.level) - Math.max(0, nowMs - counted.atMs) / 1000);

export function countAttempt(counted: Counted, allowance: Allowance, nowMs: number): Counted {
  const leaked = Math.max(0, nowMs - counted.atMs) / 1000 / allowance.leakSeconds;
  return { level: Math.min(allowance.levelMax, Math.max(0, counted.level - leaked) + 1), atMs: nowMs };
}
