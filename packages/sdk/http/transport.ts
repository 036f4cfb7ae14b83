import { ApiError, ConnectionError, readApiError, StemwrightError, TimeoutError } from "../errors.ts";
import type { RequestOptions } from "../options.ts";
import { makeRetryDelayMs, RETRY_AFTER_MAX_MS } from "./retry-delay.ts";
import { sleep } from "./sleep.ts";

export type Query = Record<string, string | number | undefined>;

/** One request, as often as it has to be tried. */
export type Call = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the base URL; a download link is whole, and is sent nothing of the client's own: no key, no cookie. */
  path: string;
  isLink?: boolean;
  query?: Query | undefined;
  /** Sent as JSON. */
  json?: unknown;
  /** Makes the body of a try; one that can be read only once makes the call one that is not repeated. */
  body?: { make(): NonNullable<RequestInit["body"]>; headers?: Record<string, string>; isOnce?: boolean };
  headers?: Record<string, string>;
  /** How long one try may take, where that is not the client's own limit. Infinity for no limit. */
  timeoutMs?: number;
  /** Which secret opens the route. */
  auth?: "apiKey" | "legacyToken";
  /** Sends this call instead of the client's fetch. */
  fetch?: typeof fetch;
};

/** What the client was made with, complete. */
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
  /** What `read` makes of the answer. */
  send<Result>(
    call: Call,
    options: RequestOptions,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result>;
  /** The body of the answer, from JSON. */
  load<Body>(call: Call, options?: RequestOptions): Promise<Body>;
  /** The answer as soon as its head is there. */
  open(call: Call, options?: RequestOptions): Promise<Response>;
  maxRetries: number;
};

/** Where the platform has no `randomUUID`: a page that came over plain http has none. */
const makeIdempotencyKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Whether the same request may well succeed a little later. */
export const isWorthRetrying = (error: unknown) =>
  error instanceof ApiError
    ? (error.status === 408 || error.status === 429 || error.status >= 500) &&
      (error.retryAfterMs ?? 0) <= RETRY_AFTER_MAX_MS
    : error instanceof ConnectionError;

/** fetch says no more than that it failed; the reason is the cause of its error, and sometimes that one's cause. */
function describeFailure(error: unknown): string {
  const { message, cause, code } = error as Error & { code?: string };
  return cause instanceof Error ? describeFailure(cause) : message || (code ?? String(error));
}

/**
 * Node wants to be told that the answer may come before a streamed body is at its end. And unless redirects are errors
 * and there is no window, its fetch keeps a copy of the whole body in memory, to send it again.
 */
const STREAMED = { duplex: "half", redirect: "error", window: null } as RequestInit;

/** Text first: bytes that did not arrive are worth another try, bytes that are no JSON are not. */
export async function readJson<Body>(response: Response): Promise<Body> {
  const text = await response.text();
  try {
    return JSON.parse(text) as Body;
  } catch {
    throw new StemwrightError(`${response.url} answered with something other than JSON; is baseUrl right?`);
  }
}

export function makeTransport(settings: TransportSettings): Transport {
  function toUrl(
    { path, isLink, query = {} }: Call,
    { clientId = settings.clientId }: RequestOptions,
  ): string {
    if (isLink) return path;
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries({ clientId, ...query }))
      if (value !== undefined) search.set(name, String(value));
    const text = search.toString();
    return settings.baseUrl + path + (text && `?${text}`);
  }

  function toHeaders({ auth, isLink, json, body, headers }: Call, options: RequestOptions): Headers {
    if (isLink) return new Headers(headers);
    const { apiKey, legacyToken = apiKey } = settings;
    const result = new Headers({ accept: "application/json", ...settings.headers });
    if (auth === "legacyToken") {
      if (legacyToken) result.set("authorization", `Bearer ${legacyToken}`);
    } else if (apiKey) result.set("x-api-key", apiKey);
    if (json !== undefined) result.set("content-type", "application/json");
    for (const [name, value] of Object.entries({ ...body?.headers, ...headers, ...options.headers }))
      result.set(name, value);
    return result;
  }

  /** One try. `read` is part of it: a connection that breaks in the middle of an answer is as good as none. */
  async function attempt<Result>(
    call: Call,
    request: { url: string; headers: Headers; options: RequestOptions },
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const { signal, timeoutMs = call.timeoutMs ?? settings.timeoutMs } = request.options;
    const { credentials } = settings;
    const late = new AbortController();
    const timer = Number.isFinite(timeoutMs) ? setTimeout(() => late.abort(), timeoutMs) : undefined;
    const what = `${call.method} ${request.url.split("?")[0]}`;
    try {
      const response = await (call.fetch ?? settings.fetch)(request.url, {
        method: call.method,
        headers: request.headers,
        signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
        // A key would be sent along to wherever a redirect leads.
        redirect: call.isLink ? "follow" : "manual",
        ...(credentials && !call.isLink && { credentials }),
        ...(call.json === undefined ? {} : { body: JSON.stringify(call.json) }),
        ...(call.body && { ...STREAMED, body: call.body.make() }),
      });
      if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400))
        throw new StemwrightError(
          `${what} was redirected (${response.headers.get("location") ?? "elsewhere"}); set baseUrl to where the service is`,
        );
      if (!response.ok) throw await readApiError(response);
      return await read(response);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (late.signal.aborted) throw new TimeoutError(`${what} had no answer within ${timeoutMs} ms`);
      if (error instanceof StemwrightError) throw error;
      throw new ConnectionError(`${what} failed: ${describeFailure(error)}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async function send<Result>(
    call: Call,
    options: RequestOptions,
    read: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const { signal, maxRetries = settings.maxRetries } = options;
    const request = { url: toUrl(call, options), headers: toHeaders(call, options), options };
    if (call.method === "POST")
      request.headers.set("idempotency-key", options.idempotencyKey ?? makeIdempotencyKey());
    for (let retry = 0; ; retry += 1) {
      signal?.throwIfAborted();
      try {
        return await attempt(call, request, read);
      } catch (error) {
        if (retry >= maxRetries || call.body?.isOnce || !isWorthRetrying(error)) throw error;
        const retryAfterMs = error instanceof ApiError ? error.retryAfterMs : undefined;
        await sleep(makeRetryDelayMs(retry, retryAfterMs), signal);
      }
    }
  }

  return {
    send,
    load: <Body>(call: Call, options: RequestOptions = {}) => send(call, options, readJson<Body>),
    open: (call, options = {}) => send(call, options, async (response) => response),
    maxRetries: settings.maxRetries,
  };
}
