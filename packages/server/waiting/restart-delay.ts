const FIRST_MS = 250;
const MAX_MS = 30_000;
/** A process that ran this long had started successfully: its end resets the backoff. */
const SETTLED_MS = 60_000;

/** The delay before a restart: none at first, then growing while the process keeps exiting. */
export function makeRestartDelay(): { findMs(ranForMs: number): number } {
  let shortRuns = 0;
  return {
    findMs(ranForMs) {
      if (ranForMs > SETTLED_MS) shortRuns = 0;
      const delayMs = shortRuns === 0 ? 0 : Math.min(MAX_MS, FIRST_MS * 2 ** (shortRuns - 1));
      shortRuns += 1;
      return delayMs;
    },
  };
}
