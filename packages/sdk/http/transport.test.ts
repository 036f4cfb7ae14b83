import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { answerError, answerJson, makeFakeFetch } from "../../../test/support/fake-fetch.ts";
import { settle, useFakeTime } from "../../../test/support/fake-time.ts";
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  CreditsError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  Stemwright,
  StemwrightError,
  type StemwrightOptions,
  TimeoutError,
} from "../index.ts";

const networkError = () =>
  new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:9") });

function makeClient(fake: { fetch: typeof fetch }, options: StemwrightOptions = {}) {
  return new Stemwright({
    baseUrl: "https://stems.example",
    apiKey: "sw_key",
    fetch: fake.fetch,
    ...options,
  });
}

beforeEach(useFakeTime);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a request of the SDK", () => {
  it("goes to the base URL including its sub-path, with the key and the client's headers", async () => {
    const fake = makeFakeFetch(answerJson({ id: "t1" }));
    const client = makeClient(fake, {
      baseUrl: "https://stems.example/audio/api/",
      headers: { "x-team": "a" },
      credentials: "include",
      clientId: "c1",
    });
    await client.tasks.get("t/1", { headers: { "x-one": "1" } });
    const [{ url, method, headers, init } = {} as never] = fake.requests;
    expect([method, url]).toEqual(["GET", "https://stems.example/audio/api/tasks/t%2F1?clientId=c1"]);
    expect(Object.fromEntries(headers)).toEqual({
      accept: "application/json",
      "x-api-key": "sw_key",
      "x-team": "a",
      "x-one": "1",
    });
    expect(init.credentials).toBe("include");
  });

  it("sends no key if it is null, for pages with a session cookie", async () => {
    const fake = makeFakeFetch(answerJson({ models: [] }));
    await makeClient(fake, { apiKey: null }).models.list();
    expect(fake.requests[0]?.headers.has("x-api-key")).toBe(false);
  });

  it("takes base URL and key from the environment", async () => {
    vi.stubEnv("STEMWRIGHT_BASE_URL", "http://box:9000/x");
    vi.stubEnv("STEMWRIGHT_API_KEY", "sw_environment");
    const fake = makeFakeFetch(answerJson({ models: [] }));
    await new Stemwright({ fetch: fake.fetch }).models.list();
    vi.unstubAllEnvs();
    expect(fake.requests[0]?.url).toBe("http://box:9000/x/models");
    expect(fake.requests[0]?.headers.get("x-api-key")).toBe("sw_environment");
  });

  it("rejects an invalid base URL", () => {
    expect(() => new Stemwright({ baseUrl: "stems.example" })).toThrow("baseUrl is not a valid URL");
  });

  it.each(["", ".", ".."])("refuses the id %j, which would be another route", (id) => {
    const client = makeClient(makeFakeFetch());
    expect(() => client.tasks.delete(id)).toThrow("Invalid id");
  });

  it("does not follow redirects, which would send the key elsewhere", async () => {
    const fake = makeFakeFetch(
      new Response(null, { status: 301, headers: { location: "https://other.example/models" } }),
    );
    await expect(makeClient(fake).models.list()).rejects.toThrow(
      "was redirected to https://other.example/models",
    );
    expect(fake.requests[0]?.init.redirect).toBe("manual");
    expect(fake.requests).toHaveLength(1);
  });

  it("reports a response that is not JSON, without a retry", async () => {
    const fake = makeFakeFetch(new Response("<html>"));
    await expect(makeClient(fake).models.list()).rejects.toThrow("did not return JSON; check baseUrl");
    expect(fake.requests).toHaveLength(1);
  });
});

describe("retries of the SDK", () => {
  it.each([
    ["a network error", networkError()],
    ["408", answerError(408)],
    ["429", answerError(429)],
    ["500", answerError(500)],
    ["502 of a proxy", new Response("<html>", { status: 502 })],
    ["503", answerError(503)],
  ])("come after %s, twice, with jitter", async (_name, failure) => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const fake = makeFakeFetch(failure, failure, answerJson({ models: [] }));
    const { value, waitedMs } = await settle(makeClient(fake).models.list());
    expect(value).toEqual([]);
    expect(waitedMs).toBe(250 + 500);
    vi.spyOn(Math, "random").mockReturnValue(1);
    const slow = makeFakeFetch(failure, failure, answerJson({ models: [] }));
    expect((await settle(makeClient(slow).models.list())).waitedMs).toBe(500 + 1000);
  });

  it("stop after two, with the last error", async () => {
    const fake = makeFakeFetch(networkError());
    const { error } = await settle(makeClient(fake).models.list());
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).toBe(
      "GET https://stems.example/models failed: connect ECONNREFUSED 127.0.0.1:9",
    );
    expect(fake.requests).toHaveLength(3);
  });

  it("are as many as the client or the request allows", async () => {
    const fake = makeFakeFetch(answerError(503));
    const client = makeClient(fake, { maxRetries: 4 });
    await settle(client.models.list());
    expect(fake.requests).toHaveLength(5);
    await settle(client.models.list({ maxRetries: 0 }));
    expect(fake.requests).toHaveLength(6);
  });

  it.each([400, 401, 402, 403, 404, 409, 413, 415])("never come after %i", async (status) => {
    const fake = makeFakeFetch(answerError(status));
    await settle(makeClient(fake).models.list());
    expect(fake.requests).toHaveLength(1);
  });

  it("respect Retry-After, in seconds or as a date", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const inSeconds = makeFakeFetch(answerError(429, {}, { "retry-after": "7" }), answerJson({ models: [] }));
    expect((await settle(makeClient(inSeconds).models.list())).waitedMs).toBe(7000);
    vi.setSystemTime("2026-01-01T00:00:00Z");
    const asDate = makeFakeFetch(
      answerError(503, {}, { "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT" }),
      answerJson({ models: [] }),
    );
    expect((await settle(makeClient(asDate).models.list())).waitedMs).toBe(9000);
  });

  it("are not made if Retry-After is over a minute: the error says when", async () => {
    const fake = makeFakeFetch(answerError(429, {}, { "retry-after": "3600" }));
    const { error, waitedMs } = await settle(makeClient(fake).models.list());
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: 3_600_000 });
    expect([waitedMs, fake.requests.length]).toEqual([0, 1]);
  });

  it("[I1] reuse the Idempotency-Key of the first attempt; each POST has its own", async () => {
    const fake = makeFakeFetch(networkError(), answerError(503), answerJson({ id: "t1" }));
    const client = makeClient(fake);
    await settle(client.tasks.cancel("t1"));
    await settle(client.tasks.cancel("t1"));
    await settle(client.tasks.cancel("t1", { idempotencyKey: "mine" }));
    await settle(client.tasks.get("t1"));
    const keys = fake.requests.map(({ headers }) => headers.get("idempotency-key"));
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect([keys[1], keys[2]]).toEqual([keys[0], keys[0]]);
    expect(keys[3]).not.toBe(keys[0]);
    expect(keys.slice(4)).toEqual(["mine", null]);
  });

  it("follow a connection that broke in the middle of the response", async () => {
    const broken = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            controller.enqueue(new TextEncoder().encode('{"models": ['));
            controller.error(new TypeError("terminated"));
          },
        }),
      );
    const fake = makeFakeFetch(broken, answerJson({ models: [] }));
    expect((await settle(makeClient(fake).models.list())).value).toEqual([]);
  });

  it("follow an attempt that timed out", async () => {
    const fake = makeFakeFetch(
      ({ init: { signal } }) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener("abort", () => reject(signal.reason as Error)),
        ),
    );
    const { error } = await settle(makeClient(fake).models.list({ timeoutMs: 1000 }));
    expect(error).toBeInstanceOf(TimeoutError);
    expect((error as Error).message).toBe("GET https://stems.example/models timed out after 1000 ms");
    expect(fake.requests).toHaveLength(3);
  });
});

describe("an AbortSignal", () => {
  it("aborts a request before it is sent", async () => {
    const fake = makeFakeFetch(answerJson({}));
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(makeClient(fake).models.list({ signal })).rejects.toThrow("enough");
    expect(fake.requests).toHaveLength(0);
  });

  it("aborts the wait for a retry, with its own reason", async () => {
    const fake = makeFakeFetch(answerError(503, {}, { "retry-after": "50" }));
    const controller = new AbortController();
    const request = settle(makeClient(fake).models.list({ signal: controller.signal }));
    setTimeout(() => controller.abort(new Error("enough")), 1000);
    const { error } = await request;
    expect(error).toEqual(new Error("enough"));
    expect(fake.requests).toHaveLength(1);
  });
});

describe("[E1] the errors of the SDK", () => {
  it.each([
    [400, BadRequestError],
    [401, AuthenticationError],
    [402, CreditsError],
    [403, PermissionError],
    [404, NotFoundError],
    [409, ConflictError],
    [413, BadRequestError],
    [429, RateLimitError],
    [500, ServerError],
    [503, ServerError],
  ])("have a class for the family of %i, and carry what the answer told", async (status, Class) => {
    const details = [{ path: "targets[0].model", message: "must be text" }];
    const fake = makeFakeFetch(answerError(status, { code: "REQUEST_INVALID", details, requestId: "r2" }));
    const { error } = await settle(makeClient(fake).models.list({ maxRetries: 0 }));
    expect(error).toBeInstanceOf(Class);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toBeInstanceOf(StemwrightError);
    expect(error).toMatchObject({
      name: Class.name,
      message: "Not now",
      status,
      code: "REQUEST_INVALID",
      details,
      requestId: "r2",
    });
  });

  it("report the status of responses that are not the service's own", async () => {
    const fake = makeFakeFetch(new Response("<html>", { status: 502, headers: { "x-request-id": "r3" } }));
    const { error } = await settle(makeClient(fake).models.list({ maxRetries: 0 }));
    expect(error).toMatchObject({
      status: 502,
      code: undefined,
      details: [],
      requestId: "r3",
      message: "Request failed with status 502",
    });
  });
});
