import { setImmediate } from "node:timers/promises";

const PULSE_INTERVAL_MS = 100;

/**
 * Awaited between pieces of synchronous work: tells the parent that the child is alive and lets the event loop notice that the parent is gone. The
 * fraction is that of the whole work, if known.
 */
export type Pulse = (fraction?: number) => Promise<void>;

export function makePulse(onProgress: (fraction: number) => void): Pulse {
  let lastMs = performance.now();
  let lastFraction = 0;
  return async (fraction = lastFraction) => {
    const nowMs = performance.now();
    if (nowMs - lastMs < PULSE_INTERVAL_MS) return;
    lastMs = nowMs;
    // File positions may step back if streams are interleaved; progress must not.
    lastFraction = Math.min(1, Math.max(lastFraction, fraction));
    onProgress(lastFraction);
    await setImmediate();
  };
}
