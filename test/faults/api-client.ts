import { setTimeout as wait } from "node:timers/promises";
import { Agent, type BodyInit, fetch } from "undici";
import type { StormLog } from "./storm-log.ts";

const ANSWER_TIMEOUT_MS = 30_000;
const RETRY_DELAY_MS = 250;
/** One connection per request: a kept one may have died with a process long before it is used again. */
const dispatcher = new Agent({ pipelining: 0 });

export type Answer = { status: number; body: unknown };
type Request = {
  method?: "GET" | "POST" | "DELETE";
  path: string;
  json?: unknown;
  /** Called again for each attempt; returns the body with its content type. */
  makeBody?: () => { body: BodyInit; contentType: string };
  idempotencyKey?: string;
  /** Statuses accepted besides 2xx and 503. */
  expected?: readonly number[];
};

const isExpected = (status: number, expected: readonly number[]) =>
  (status >= 200 && status < 300) || expected.includes(status);

/** Already logged; only what depended on the answer fails. */
export class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer";

  constructor(path: string, { status, body }: Answer) {
    super(`${path}: ${status} ${JSON.stringify(body)}`);
  }
}

/** The program of one account: rotates over the API processes, and retries on 503 or without an answer. */
export class ApiClient {
  readonly #addresses: readonly string[];
  readonly #key: string;
  readonly #log: StormLog;
  #turn = 0;

  constructor(options: { addresses: readonly string[]; key: string; log: StormLog }) {
    this.#addresses = options.addresses;
    this.#key = options.key;
    this.#log = options.log;
  }

  /** A single attempt; undefined without an answer. */
  async try(request: Request): Promise<Answer | undefined> {
    const { method = "GET", path, json, expected = [] } = request;
    this.#turn += 1;
    const address = this.#addresses[this.#turn % this.#addresses.length] ?? "";
    const startedAtMs = performance.now();
    const made =
      json === undefined
        ? request.makeBody?.()
        : { body: JSON.stringify(json), contentType: "application/json" };
    try {
      const response = await fetch(`${address}${path}`, {
        method,
        dispatcher,
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
        headers: {
          "x-api-key": this.#key,
          ...(made ? { "content-type": made.contentType } : {}),
          ...(request.idempotencyKey === undefined ? {} : { "idempotency-key": request.idempotencyKey }),
        },
        ...(made ? { body: made.body, duplex: "half" } : {}),
      });
      const text = await response.text();
      const { status } = response;
      this.#log.answers.set(status, (this.#log.answers.get(status) ?? 0) + 1);
      if (status !== 503 && !isExpected(status, expected))
        this.#log.wrongAnswers.push(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
      return { status, body: text === "" ? undefined : JSON.parse(text) };
    } catch (error) {
      const reason = String((error as Error).cause ?? error);
      const endedAtMs = performance.now();
      this.#log.unanswered.push({ request: `${method} ${path}`, address, startedAtMs, endedAtMs, reason });
      return undefined;
    }
  }

  /** Retries until there is an answer other than 503; throws if it is unexpected. */
  async call(request: Request, signal: AbortSignal): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      // The answer to an earlier attempt may have been lost, and a deletion is not repeatable.
      const expected = tries > 1 && request.method === "DELETE" ? [404] : (request.expected ?? []);
      const answer = await this.try({ ...request, expected });
      if (answer && isExpected(answer.status, expected)) return answer;
      if (answer && answer.status !== 503) throw new UnexpectedAnswer(request.path, answer);
      signal.throwIfAborted();
      await wait(RETRY_DELAY_MS);
    }
  }
}
