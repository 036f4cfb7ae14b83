import { setImmediate } from "node:timers/promises";

const PULSE_INTERVAL_MS = 100;

/**
 * To be awaited between pieces of synchronous work: tells the parent that the child is alive and lets the
 * event loop notice a parent that went away. The fraction is of the whole work, where it is known.
 */
export type Pulse = (fraction?: number) => Promise<void>;

export function makePulse(onProgress: (fraction: number) => void): Pulse {
  let lastMs = performance.now();
  let lastFraction = 0;
  return async (fraction = lastFraction) => {
    const nowMs = performance.now();
    if (nowMs - lastMs < PULSE_INTERVAL_MS) return;
    lastMs = nowMs;
    // Positions in the file may step back where streams are interleaved; progress does not.
    lastFraction = Math.min(1, Math.max(lastFraction, fraction));
    onProgress(lastFraction);
    await setImmediate();
  };
}
