import type { FastifyBaseLogger } from "fastify";
import { makeAlarm } from "../../waiting/alarm.ts";

/** A notification wakes the helper when there are spans; this only bounds the sleep. */
const IDLE_MS = 3_600_000;

type Ports = {
  log: Pick<FastifyBaseLogger, "warn">;
  /** False if there is nothing left to help with. */
  helpOnce(signal: AbortSignal): Promise<boolean>;
  /** Removes what was kept for the next span. */
  forget(): Promise<void>;
  closing: AbortSignal;
};

/** The time between two Tasks, in which a worker helps others. */
export class Helping {
  readonly #ports: Ports;
  readonly #alarm = makeAlarm();
  readonly #forceStop = new AbortController();
  readonly #done: Promise<void>;
  #isOver = false;
  #isDue = false;

  constructor(ports: Ports) {
    this.#ports = ports;
    this.#done = this.#help();
  }

  /** Called when the queue has no Task. */
  look(): void {
    this.#isDue = true;
    this.#alarm.ring();
  }

  /** `atOnce`: a Task has arrived, and the span in progress is left to others. Otherwise it is finished, unless `closing` is aborted. */
  async stop({ atOnce }: { atOnce: boolean }): Promise<void> {
    this.#isOver = true;
    if (atOnce) this.#forceStop.abort(new Error("a Task has come"));
    this.#alarm.ring();
    await this.#done;
  }

  async #help(): Promise<void> {
    while (!this.#isOver) {
      if (!this.#isDue) await this.#alarm.sleep(IDLE_MS);
      else if (!(await this.#helpSafely())) await this.#ports.forget();
    }
  }

  async #helpSafely(): Promise<boolean> {
    const { log, helpOnce, closing } = this.#ports;
    this.#isDue = false;
    const signal = AbortSignal.any([this.#forceStop.signal, closing]);
    try {
      let hasHelped = true;
      while (hasHelped && !this.#isOver) hasHelped = await helpOnce(signal);
      return this.#isOver;
    } catch (error) {
      log.warn({ err: error }, "span queue failed");
      return false;
    }
  }
}
