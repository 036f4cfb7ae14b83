import { setTimeout as wait } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { isOutOfReach } from "../faults/is-out-of-reach.ts";
import { listCauses } from "../faults/list-causes.ts";

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 2000;

export type RetryPolicy = {
  /** Stops the waiting: the next failure is thrown. */
  signal: AbortSignal;
  log: Pick<FastifyBaseLogger, "warn">;
  /** How long to wait for the database; unlimited by default. */
  limitMs?: number;
  /** Called before each further try. */
  onRetry?: (() => Promise<void>) | undefined;
};

/** Repeats a call until the database answers. For calls that may be made twice. */
export async function callUntilAnswered<Result>(
  call: () => Promise<Result>,
  { signal, log, limitMs = Number.POSITIVE_INFINITY, onRetry }: RetryPolicy,
): Promise<Result> {
  const endsAtMs = performance.now() + limitMs;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)) {
    try {
      return await call();
    } catch (error) {
      const isOver = signal.aborted || performance.now() + waitMs > endsAtMs;
      if (isOver || !listCauses(error).some(isOutOfReach)) throw error;
      if (waitMs === FIRST_WAIT_MS) log.warn({ err: error }, "database out of reach, waiting");
      await onRetry?.().catch((failure) => log.warn({ err: failure }, "failed to free disk space"));
      await wait(waitMs, undefined, { signal }).catch(() => {});
    }
  }
}
