import { setTimeout as wait } from "node:timers/promises";
import type { FastifyBaseLogger } from "fastify";

const MIN_CHECK_MS = 1000;
const MAX_CHECK_MS = 15_000;

type Ports = { blobs: { check(): Promise<void> }; log: Pick<FastifyBaseLogger, "warn"> };

/** After a store outage no Task is taken until the store is in reach: fetching its input would fail. */
export class StoreWatch {
  readonly #ports: Ports;
  #isInDoubt = false;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  noteOutage(): void {
    this.#isInDoubt = true;
  }

  findFault(): string | undefined {
    return this.#isInDoubt ? "the store is out of reach" : undefined;
  }

  async waitUntilInReach(signal: AbortSignal): Promise<void> {
    for (let waitMs = MIN_CHECK_MS; this.#isInDoubt && !signal.aborted; ) {
      try {
        await this.#ports.blobs.check();
        this.#isInDoubt = false;
      } catch (error) {
        this.#ports.log.warn({ err: error, retryInMs: waitMs }, "store out of reach, taking no Tasks");
        await wait(waitMs, undefined, { signal }).catch(() => {});
        waitMs = Math.min(MAX_CHECK_MS, waitMs * 2);
      }
    }
  }
}
