const FIRST_MS = 250;
const MAX_MS = 30_000;
/** What ran for so long had been started well: what ends it later is another matter. */
const SETTLED_MS = 60_000;

/** How long to wait before what has ended is started again: nothing at first, and longer and longer for what keeps ending. */
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
