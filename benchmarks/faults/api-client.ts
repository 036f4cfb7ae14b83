import { setTimeout as wait } from "node:timers/promises";
import { Agent, type BodyInit, fetch } from "undici";
import type { StormLog } from "./storm-log.ts";

const ANSWER_TIMEOUT_MS = 30_000;
const RETRY_DELAY_MS = 250;
/** A connection for each request: one that is kept may have died with a process long before it is used again. */
const dispatcher = new Agent({ pipelining: 0 });

export type Answer = { status: number; body: unknown };
type Request = {
  method?: "GET" | "POST" | "DELETE";
  path: string;
  json?: unknown;
  /** Built again for each try, with its content type. */
  makeBody?: () => { body: BodyInit; contentType: string };
  idempotencyKey?: string;
  /** What may be answered beside 2xx and 503. */
  expected?: readonly number[];
};

const isExpected = (status: number, expected: readonly number[]) =>
  (status >= 200 && status < 300) || expected.includes(status);

/** It is in the log already; what was to be done with the answer can't be. */
export class UnexpectedAnswer extends Error {
  override readonly name = "UnexpectedAnswer";

  constructor(path: string, { status, body }: Answer) {
    super(`${path}: ${status} ${JSON.stringify(body)}`);
  }
}

/** One account's program: it goes round the API processes, and tries again where it is told to or gets no answer. */
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

  /** One try; undefined where no answer came. */
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

  /** Tries until there is an answer other than 503; throws one that was not expected. */
  async call(request: Request, signal: AbortSignal): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      // The answer to an earlier try may have been lost, and a deletion can't be repeated.
      const expected = tries > 1 && request.method === "DELETE" ? [404] : (request.expected ?? []);
      const answer = await this.try({ ...request, expected });
      if (answer && isExpected(answer.status, expected)) return answer;
      if (answer && answer.status !== 503) throw new UnexpectedAnswer(request.path, answer);
      signal.throwIfAborted();
      await wait(RETRY_DELAY_MS);
    }
  }
}
