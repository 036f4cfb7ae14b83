import { setTimeout as sleep } from "node:timers/promises";
import type { Postmaster } from "./start-postmaster.ts";

const firstDelayMs = 250;
const maxDelayMs = 30_000;
/** A server that ran for so long had been started well: what ends it later is another matter. */
const settledMs = 60_000;

export type Supervision = {
  readonly pid: number;
  /** Ends the server for good. */
  stop(): Promise<void>;
};

/**
 * Keeps a server running: one that ends is started again, which recovers all that was committed. Where it can't be started, as on
 * a full disk, that is tried for ever, with longer and longer waits.
 */
export function supervisePostmaster(
  first: Postmaster,
  options: {
    start(signal: AbortSignal): Promise<Postmaster>;
    /** Told why the server is away, each time it ends or can't be started. */
    onDown: (error: Error) => void;
    onUp: () => void;
  },
): Supervision {
  const stopping = new AbortController();
  let postmaster = first;
  let failures = 0;

  async function startAgain(): Promise<void> {
    while (!stopping.signal.aborted) {
      // The first time at once, but for a server that ended as soon as it had started.
      if (failures > 0) await sleep(findDelayMs(failures), undefined, { signal: stopping.signal });
      failures += 1;
      try {
        postmaster = await options.start(stopping.signal);
        return options.onUp();
      } catch (error) {
        if (!stopping.signal.aborted) options.onDown(error as Error);
      }
    }
  }

  async function keepRunning(): Promise<void> {
    while (!stopping.signal.aborted) {
      const startedMs = performance.now();
      const reason = await postmaster.ended;
      if (stopping.signal.aborted) return;
      if (performance.now() - startedMs > settledMs) failures = 0;
      options.onDown(reason);
      // Rejects where the sleep is cut short.
      await startAgain().catch(() => {});
    }
  }

  const running = keepRunning();
  return {
    get pid() {
      return postmaster.pid;
    },
    async stop() {
      stopping.abort();
      await postmaster.end();
      await running;
      // One that was being started meanwhile.
      await postmaster.end();
    },
  };
}

function findDelayMs(failures: number): number {
  return Math.min(maxDelayMs, firstDelayMs * 2 ** (failures - 1));
}
