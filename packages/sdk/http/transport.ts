import { ApiError, ConnectionError, readApiError, StemwrightError, TimeoutError } from "../errors.ts";
import type { RequestOptions } from "../options.ts";
import { MAX_RETRY_AFTER_MS, makeRetryDelayMs } from "./retry-delay.ts";
import { sleep } from "./sleep.ts";

export type Query = Record<string, string | number | undefined>;

/** One logical request, including its retries. */
export type Call = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Relative to the base URL; for download links (`isLink`) absolute, and sent without key, extra headers and cookies. */
  path: string;
  isLink?: boolean;
  query?: Query | undefined;
  /** Sent as JSON. */
  json?: unknown;
  /** `make` is called for each attempt; a body that can be read only once disables retries. */
  body?: { make(): NonNullable<RequestInit["body"]>; headers?: Record<string, string>; isOnce?: boolean };
  headers?: Record<string, string>;
  /** Overrides the client's limit for one attempt; Infinity for none. */
  timeoutMs?: number;
  /** Which credential to send. */
  auth?: "apiKey" | "legacyToken";
  /** Used instead of the client's fetch. */
  fetch?: typeof fetch;
};

/** The client's options with defaults applied. */
export type TransportSettings = {
  baseUrl: string;
  apiKey: string | undefined;
  legacyToken: string | undefined;
  clientId: string | undefined;
  maxRetries: number;
  timeoutMs: number;
  headers: Record<string, string>;
  credentials: RequestInit["credentials"] | undefined;
  fetch: typeof fetch;
};

export type Transport = {
  /** Sends the call and reads the response; a failure in `read` is retried as well. */
  send<Result>(
    call: Call,
    options: RequestOptions,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result>;
  /** Sends the call and parses the JSON body. */
  load<Body>(call: Call, options?: RequestOptions): Promise<Body>;
  /** Sends the call and resolves once the headers have arrived. */
  open(call: Call, options?: RequestOptions): Promise<Response>;
  readonly maxRetries: number;
};

/** Pages served over plain http have no `crypto.randomUUID`. */
const makeIdempotencyKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Whether the error is transient. */
export const isWorthRetrying = (error: unknown) =>
  error instanceof ApiError
    ? (error.status === 408 || error.status === 429 || error.status >= 500) &&
      (error.retryAfterMs ?? 0) <= MAX_RETRY_AFTER_MS
    : error instanceof ConnectionError;

/** fetch only says "fetch failed"; the reason is the innermost cause. */
function describeFailure(error: unknown): string {
  const { message, cause, code } = error as Error & { code?: string };
  return cause instanceof Error ? describeFailure(cause) : message || (code ?? String(error));
}

/**
 * Options for streamed bodies. Node requires `duplex`. Without `redirect: "error"` and `window: null` its fetch tees the
 * body so that it can be resent, and buffers all of it in memory: 2.1 GiB for a 2 GiB file, 93 MB with them.
 */
const STREAMED = { duplex: "half", redirect: "error", window: null } as RequestInit;

/** Reads text before parsing: a truncated body is a network error and retried, invalid JSON is not. */
export async function readJson<Body>(response: Response): Promise<Body> {
  const text = await response.text();
  try {
    return JSON.parse(text) as Body;
  } catch {
    throw new StemwrightError(`${response.url} did not return JSON; check baseUrl`);
  }
}

/** Requests with retries, by `fetch`. */
export class HttpTransport implements Transport {
  readonly #settings: TransportSettings;

  constructor(settings: TransportSettings) {
    this.#settings = settings;
  }

  get maxRetries(): number {
    return this.#settings.maxRetries;
  }

  load<Body>(call: Call, options: RequestOptions = {}): Promise<Body> {
    return this.send(call, options, readJson<Body>);
  }

  open(call: Call, options: RequestOptions = {}): Promise<Response> {
    return this.send(call, options, async (response) => response);
  }

  #toUrl({ path, isLink, query = {} }: Call, { clientId = this.#settings.clientId }: RequestOptions): string {
    if (isLink) return path;
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries({ clientId, ...query }))
      if (value !== undefined) search.set(name, String(value));
    const text = search.toString();
    return this.#settings.baseUrl + path + (text && `?${text}`);
  }

  #toHeaders({ auth, isLink, json, body, headers }: Call, options: RequestOptions): Headers {
    if (isLink) return new Headers(headers);
    const { apiKey, legacyToken = apiKey, headers: common } = this.#settings;
    const result = new Headers({ accept: "application/json", ...common });
    if (auth === "legacyToken") {
      if (legacyToken) result.set("authorization", `Bearer ${legacyToken}`);
    } else if (apiKey) result.set("x-api-key", apiKey);
    if (json !== undefined) result.set("content-type", "application/json");
    for (const [name, value] of Object.entries({ ...body?.headers, ...headers, ...options.headers }))
      result.set(name, value);
    return result;
  }

  /** One attempt, including `read`: a connection that drops in the middle of the body is retried too. */
  async #attempt<Result>(
    call: Call,
    request: { url: string; headers: Headers; options: RequestOptions },
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const { signal, timeoutMs = call.timeoutMs ?? this.#settings.timeoutMs } = request.options;
    const { credentials, fetch: fetchOfClient } = this.#settings;
    const late = new AbortController();
    const timer = Number.isFinite(timeoutMs) ? setTimeout(() => late.abort(), timeoutMs) : undefined;
    const what = `${call.method} ${request.url.split("?")[0]}`;
    try {
      const response = await (call.fetch ?? fetchOfClient)(request.url, {
        method: call.method,
        headers: request.headers,
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        // Following redirects would send the key to another host.
        redirect: call.isLink ? "follow" : "manual",
        ...(credentials && !call.isLink && { credentials }),
        ...(call.json === undefined ? {} : { body: JSON.stringify(call.json) }),
        ...(call.body && { ...STREAMED, body: call.body.make() }),
      });
      if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400))
        throw new StemwrightError(
          `${what} was redirected to ${response.headers.get("location") ?? "another address"}; set baseUrl to the final address`,
        );
      if (!response.ok) throw await readApiError(response);
      return await read(response);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (late.signal.aborted) throw new TimeoutError(`${what} timed out after ${timeoutMs} ms`);
      if (error instanceof StemwrightError) throw error;
      throw new ConnectionError(`${what} failed: ${describeFailure(error)}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async send<Result>(
    call: Call,
    options: RequestOptions,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const { signal, maxRetries = this.#settings.maxRetries } = options;
    const request = { url: this.#toUrl(call, options), headers: this.#toHeaders(call, options), options };
    if (call.method === "POST")
      request.headers.set("idempotency-key", options.idempotencyKey ?? makeIdempotencyKey());
    for (let retry = 0; ; retry += 1) {
      signal?.throwIfAborted();
      try {
        return await this.#attempt(call, request, read);
      } catch (error) {
        if (retry >= maxRetries || call.body?.isOnce || !isWorthRetrying(error)) throw error;
        const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : undefined;
        await sleep(makeRetryDelayMs(retry, retryAfterMs), signal);
      }
    }
  }
}
