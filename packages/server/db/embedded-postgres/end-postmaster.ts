import { setTimeout as sleep } from "node:timers/promises";

/**
 * PostgreSQL's shutdown modes in order. SIGINT (fast) ends sessions and writes a checkpoint. SIGQUIT (immediate) leaves the work to recovery at the next
 * start, which loses nothing; it kills hanging children itself after 5 s, hence the longer wait. SIGKILL leaves shared memory behind and is the last resort.
 */
const steps = [
  { signal: "SIGINT", waitMs: 5_000 },
  { signal: "SIGQUIT", waitMs: 8_000 },
  { signal: "SIGKILL", waitMs: 5_000 },
] as const;

const pollMs = 20;

export async function endPostmaster(pid: number, hasEnded: () => Promise<boolean>): Promise<void> {
  for (const { signal, waitMs } of steps) {
    sendSignal(pid, signal);
    const deadlineMs = performance.now() + waitMs;
    while (performance.now() < deadlineMs) {
      if (await hasEnded()) return;
      await sleep(pollMs);
    }
  }
  throw new Error(`PostgreSQL (process ${pid}) did not exit, even after SIGKILL`);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const isGone = error instanceof Error && "code" in error && error.code === "ESRCH";
    if (!isGone) throw error;
  }
}
