import { setTimeout as wait } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";
import { isOutOfReach } from "../is-out-of-reach.ts";

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 2000;

export type WaitOutOptions = {
  /** Ends the waiting: what fails then is thrown. */
  signal: AbortSignal;
  log: Pick<FastifyBaseLogger, "warn">;
};

/** Calls until the database answers, however long it is out of reach. For calls that may be made twice. */
async function callUntilAnswered<Result>(
  call: () => Promise<Result>,
  { signal, log }: WaitOutOptions,
): Promise<Result> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2)) {
    try {
      return await call();
    } catch (error) {
      if (signal.aborted || !isOutOfReach(error)) throw error;
      if (waitMs === FIRST_WAIT_MS) log.warn({ err: error }, "database out of reach, waiting");
      await wait(waitMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** The same port, over a database that may go away for a while: work goes on where it was when it is back. */
export function waitOut<Port extends object>(port: Port, options: WaitOutOptions): Port {
  const wrapped = Object.entries(port).map(([name, call]) => [
    name,
    (...args: unknown[]) => callUntilAnswered(() => call.apply(port, args), options),
  ]);
  return Object.fromEntries(wrapped) as Port;
}
