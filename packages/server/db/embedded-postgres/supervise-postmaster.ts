import { setTimeout as sleep } from "node:timers/promises";
import { makeRestartDelay } from "../../waiting/restart-delay.ts";
import type { Postmaster } from "./start-postmaster.ts";

export type Supervision = {
  readonly pid: number;
  /** Stops the server permanently. */
  stop(): Promise<void>;
};

/**
 * Keeps a server running: if it ends it is restarted, which recovers everything committed. If it can't be started, for example because the disk is full,
 * restarts are attempted forever, with backoff.
 */
export function supervisePostmaster(
  first: Postmaster,
  options: {
    start(signal: AbortSignal): Promise<Postmaster>;
    /** Called with the reason each time the server ends or can't be started. */
    onDown: (error: Error) => void;
    onUp: () => void;
  },
): Supervision {
  const stopping = new AbortController();
  const delay = makeRestartDelay();
  let postmaster = first;

  async function startAgain(): Promise<void> {
    postmaster = await options.start(stopping.signal);
    options.onUp();
  }

  async function keepRunning(): Promise<void> {
    for (let isUp = true; ; ) {
      const sinceMs = performance.now();
      if (isUp) {
        const reason = await postmaster.ended;
        if (stopping.signal.aborted) return;
        options.onDown(reason);
      }
      const delayMs = delay.findMs(performance.now() - sinceMs);
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      isUp = await startAgain().then(
        () => true,
        (error: Error) => {
          if (!stopping.signal.aborted) options.onDown(error);
          return false;
        },
      );
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
      // In case one was being started meanwhile.
      await postmaster.end();
    },
  };
}
