import { apiErrorBody, type Task } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApi, type TestApi } from "../../../test/support/test-api.ts";
import { addPerson } from "../../../test/support/test-people.ts";
import { waitForLock } from "../../../test/support/wait-for-lock.ts";
import { revokeKey } from "../db/accounts/key-rows.ts";

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** The error body, checked against its schema. */
async function errorOf(response: Response) {
  const body = apiErrorBody.parse(await response.json());
  expect(body.statusCode).toBe(response.status);
  expect(body.requestId).toBe(response.headers.get("x-request-id"));
  return body;
}

describe("every request", () => {
  it("[G1] carries x-request-id, and the log has the same", async () => {
    const response = await api.call("/models");
    const id = response.headers.get("x-request-id") ?? "";
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(api.logLines.some((line) => line.includes(id))).toBe(true);
  });

  it("[G2] [G3] accepts a trailing slash and unknown query parameters", async () => {
    for (const path of ["/tasks/", "/assets/?colour=blue", "/models/?x=1"])
      expect((await api.call(path)).status).toBe(200);
  });

  it("[G4] answers a preflight request and opens CORS", async () => {
    const headers = {
      origin: "https://app.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-api-key",
    };
    const preflight = await api.call("/tasks", { method: "OPTIONS", key: null, headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(
      (await api.call("/tasks", { headers: { origin: "https://app.example" } })).headers.get(
        "access-control-allow-origin",
      ),
    ).toBe("*");
  });

  it("[G8] reports liveness and readiness without a key", async () => {
    for (const path of ["/health/live", "/health/ready"]) {
      expect(await (await api.call(path, { key: null })).json()).toEqual({ status: "ok" });
    }
  });

  it("[G8] [E9] is ready while requests wait for the database; those that get no connection are 503", async () => {
    const { pool } = api.database;
    const blocker = await pool.connect();
    await blocker.query("begin");
    await blocker.query("lock table row_counts in access exclusive mode");
    const requests = Array.from({ length: 25 }, () => api.call("/tasks"));
    const blocked =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    await expect.poll(async () => (await pool.query(blocked)).rowCount).toBe(10);
    expect((await api.call("/health/ready")).status).toBe(200);
    await Promise.race(requests);
    expect((await api.call("/health/ready")).status).toBe(200);
    await blocker.query("rollback");
    blocker.release();
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
  });

  it("[G9] leaves no key and no query string in the log", async () => {
    await api.call("/files/outputs/a/b/c.wav?Expires=1&Signature=5ec4e7");
    const log = api.logLines.join("");
    expect(log).not.toContain(api.account.key);
    expect(log).not.toContain("5ec4e7");
  });
});

describe("answers with secrets", () => {
  it("[G9] are stored by no cache", async () => {
    const admin = await api.addAccount({ role: "admin" });
    const { token } = await addPerson(api, { clientId: api.account.clientId, role: "owner" });
    const task = await api.post("/tasks", {
      url: "https://media.example/a.wav",
      targets: [{ model: "vocals", formats: ["wav"] }],
    });
    const { id } = (await task.clone().json()) as Task;
    const posts = await Promise.all([
      api.post("/account/keys", { name: "a key" }, { key: admin.key }),
      api.post(`/admin/clients/${admin.clientId}/keys`, { name: "a key" }, { key: admin.key }),
      api.post("/account/invitations", { role: "member" }, { key: admin.key }),
      api.post("/account/sign-in/link", { token }, { key: null }),
      api.post("/webhooks", { url: "https://receiver.example/" }),
      api.post(`/tasks/${id}/shares`, {}),
      api.post("/storage-integrations", {
        type: "aws",
        storageName: "bucket",
        authConfig: { roleArn: "arn:aws:iam::123456789012:role/stems", region: "eu-west-1" },
      }),
    ]);
    const gets = await Promise.all(
      ["/webhooks", "/webhooks/secret", "/tasks", `/tasks/${id}`, `/tasks/${id}/exports`].map((path) =>
        api.call(path),
      ),
    );
    for (const { status, url, headers } of [task, ...posts, ...gets])
      expect([new URL(url).pathname, status, headers.get("cache-control")]).toEqual([
        new URL(url).pathname,
        200,
        "no-store",
      ]);
  });

  it("[G7] the reference page runs no inline script and can't be framed", async () => {
    const response = await api.call("/docs", { key: null });
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).not.toContain("unsafe");
    for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"])
      expect(policy.split("; ")).toContain(part);
    expect(await response.text()).not.toMatch(/<script(?![^>]* src=)/);
  });
});

describe("keys", () => {
  it.each(["/tasks", "/assets", "/tasks/abc", "/assets/abc"])(
    "[K1] %s without a key is 401",
    async (path) => {
      const response = await api.call(path, { key: null });
      expect(response.status).toBe(401);
      expect((await errorOf(response)).code).toBe("KEY_MISSING");
    },
  );

  it("[K1] an unknown key is 401, even where none is needed", async () => {
    for (const path of ["/tasks", "/models"]) {
      expect((await errorOf(await api.call(path, { key: "sw_nope" }))).code).toBe("KEY_INVALID");
    }
  });

  it("[K1] a revoked key is 401 at once", async () => {
    const account = await api.addAccount();
    expect((await api.call("/tasks", { key: account.key })).status).toBe(200);
    await revokeKey(api.database.db, account.keyId);
    expect((await errorOf(await api.call("/tasks", { key: account.key }))).code).toBe("KEY_INVALID");
  });
});

describe("errors", () => {
  it("[E1] [E2] an unknown route is 404 in the same shape", async () => {
    const response = await api.call("/nothing/here");
    expect(response.status).toBe(404);
    expect((await errorOf(response)).code).toBe("NOT_FOUND");
  });

  it("[E2] a known route with another method is 405 with Allow, with and without a key", async () => {
    for (const key of [api.account.key, null]) {
      const response = await api.call("/tasks", { method: "PATCH", key });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toContain("POST");
      expect((await errorOf(response)).code).toBe("METHOD_NOT_ALLOWED");
    }
  });

  it("[E3] routes without a body accept a content type", async () => {
    const headers = { "content-type": "application/json" };
    const calls = [
      ["POST", `/tasks/${api.account.clientId}/cancel`],
      ["DELETE", `/tasks/${api.account.clientId}`],
      ["DELETE", `/assets/${api.account.clientId}`],
    ] as const;
    for (const [method, path] of calls)
      expect((await errorOf(await api.call(path, { method, headers }))).code).toBe("NOT_FOUND");
  });

  it.each([
    {
      title: "half an object",
      body: '{"targets":',
      contentType: "application/json",
      status: 400,
      code: "BODY_NOT_JSON",
    },
    { title: "nothing", body: "", contentType: "application/json", status: 400, code: "BODY_NOT_JSON" },
    { title: "a list", body: "[]", contentType: "application/json", status: 400, code: "REQUEST_INVALID" },
    { title: "null", body: "null", contentType: "application/json", status: 400, code: "REQUEST_INVALID" },
    {
      title: "4000 levels",
      body: `${'{"a":'.repeat(4000)}1${"}".repeat(4000)}`,
      contentType: "application/json",
      status: 400,
      code: "REQUEST_INVALID",
    },
    {
      title: "plain text",
      body: "{}",
      contentType: "text/plain",
      status: 415,
      code: "CONTENT_TYPE_UNSUPPORTED",
    },
    {
      title: "an upload",
      body: "--x--",
      contentType: "multipart/form-data; boundary=x",
      status: 415,
      code: "CONTENT_TYPE_UNSUPPORTED",
    },
    {
      title: "a form",
      body: "a=b",
      contentType: "application/x-www-form-urlencoded",
      status: 415,
      code: "CONTENT_TYPE_UNSUPPORTED",
    },
    {
      title: "2 MiB",
      body: `"${"x".repeat(2 * 1024 ** 2)}"`,
      contentType: "application/json",
      status: 413,
      code: "BODY_TOO_LARGE",
    },
  ])("[E3] a Task of $title is $status", async ({ body, contentType, status, code }) => {
    const response = await api.call("/tasks", {
      method: "POST",
      body,
      headers: { "content-type": contentType },
    });
    expect(response.status).toBe(status);
    expect((await errorOf(response)).code).toBe(code);
  });

  it("[E3] a body that is not UTF-8 is 400, and nothing in it is replaced", async () => {
    const body = Buffer.from('{"name":"Müller"}', "latin1");
    const headers = { "content-type": "application/json" };
    const response = await api.call("/tasks", { method: "POST", body, headers });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({
      code: "BODY_NOT_JSON",
      message: "The body is not valid UTF-8, which JSON has to be",
    });
  });

  it.each([
    "/tasks/%00",
    "/assets/%00",
    "/tasks/..%2f..%2fetc",
    `/tasks/${"x".repeat(400)}`,
    `/assets/${"x".repeat(4000)}`,
    "/tasks/%E0%A4%A",
  ])("[E1] the path %s is an orderly 4xx", async (path) => {
    const response = await api.call(path);
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    await errorOf(response);
  });

  it("[E6] a database failure is 500 and reveals no internals", async () => {
    await api.upload("x", "a.wav");
    await api.database.pool.query("alter table assets rename to assets_away");
    try {
      const response = await api.call("/assets");
      expect(response.status).toBe(500);
      const { code, message } = await errorOf(response);
      expect(code).toBe("INTERNAL");
      expect(message).not.toContain("assets");
    } finally {
      await api.database.pool.query("alter table assets_away rename to assets");
    }
  });
});

describe("keys from Object.prototype", () => {
  it.each([
    '"__proto__":{"metadata":5}',
    '"\\u005f_proto__":{"metadata":5}',
    '"constructor":{"prototype":{"x":1}}',
    '"constructor":1',
    '"toString":1',
    '"hasOwnProperty":1',
  ])("[G3] %s is an unknown field, at every level", async (field) => {
    const target = `{"model":"bass","formats":["wav"],${field}}`;
    const response = await api.call("/tasks", {
      method: "POST",
      body: `{"assetId":"unknown-asset",${field},"targets":[${target}]}`,
      headers: { "content-type": "application/json" },
    });
    expect((await errorOf(response)).code).toBe("ASSET_UNKNOWN");
  });

  it.each(["__proto__", "constructor", "toString"])(
    "[A3] a form part of an upload may not be named %s",
    async (name) => {
      for (const value of ["1", new File(["x"], "a.wav")]) {
        const form = new FormData();
        form.append(name, value as Blob);
        form.append("file", new File(["x"], "a.wav"));
        const { code, message } = await errorOf(await api.call("/assets", { method: "POST", body: form }));
        expect([code, message]).toEqual([
          "REQUEST_INVALID",
          "A form part has a name that is not allowed, such as __proto__ or constructor; rename or leave it out",
        ]);
      }
    },
  );
});

describe("nulls", () => {
  it("[G3] a null field counts as absent", async () => {
    const body = {
      assetId: "unknown-asset",
      url: null,
      metadata: null,
      targets: [{ model: "bass", formats: ["wav"], variant: null }],
    };
    expect((await errorOf(await api.post("/tasks", body))).code).toBe("ASSET_UNKNOWN");
    expect((await errorOf(await api.post("/tasks", { assetId: "x", targets: null }))).message).toBe(
      "targets is required; give a list",
    );
  });
});

describe("the rate limit", () => {
  let limited: TestApi;
  let proxied: TestApi;
  beforeAll(async () => {
    limited = await startTestApi({ RATE_LIMIT_PER_SECOND: "5" });
    proxied = await startTestApi({ RATE_LIMIT_PER_SECOND: "5", TRUST_PROXY: "127.0.0.1, 10.0.0.0/8" });
  });
  afterAll(async () => {
    await limited.close();
    await proxied.close();
  });

  it("[E5] rejects requests over the limit, per key, and says when to continue", async () => {
    const responses = await Promise.all(Array.from({ length: 12 }, () => limited.call("/models")));
    for (const response of responses) expect(response.headers.get("ratelimit-limit")).toBe("5");
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(2);
    const [first] = refused;
    expect(Number(first?.headers.get("retry-after"))).toBeGreaterThan(0);
    if (first) expect((await errorOf(first)).code).toBe("RATE_LIMITED");
    const other = await limited.addAccount();
    expect((await limited.call("/models", { key: other.key })).status).toBe(200);
    for (const path of ["/tasks", "/health/live"]) {
      const keyless = await limited.call(path, { key: null });
      expect(keyless.headers.get("ratelimit-limit")).toBe("5");
    }
  });

  it.each([
    ["/tasks", "x-api-key", "203.0.113.101"],
    ["/models", "x-api-key", "203.0.113.102"],
    ["/nothing/here", "x-api-key", "203.0.113.103"],
    ["/models", "authorization", "203.0.113.104"],
    ["/tasks", "authorization", "203.0.113.105"],
    ["/job", "authorization", "203.0.113.106"],
    ["/metrics", "authorization", "203.0.113.107"],
  ])("[E5] a made-up key for each request is no way round: %s with %s", async (path, header, address) => {
    const send = (index: number) => {
      const headers = { [header]: `Bearer ${index}`, "x-forwarded-for": address };
      return proxied.call(path, { key: null, headers });
    };
    const { key } = await proxied.addAccount();
    const use = () => proxied.call("/tasks", { key, headers: { "x-forwarded-for": address } });
    expect((await use()).status).toBe(200);
    const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index)));
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(5);
    for (const { headers } of responses) expect(headers.get("ratelimit-limit")).toBe("5");
    for (const { headers } of refused) {
      expect(headers.get("ratelimit-remaining")).toBe("0");
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    expect((await use()).status).toBe(200);
  });

  it.each([
    ["/tasks", "x-api-key", "203.0.113.111"],
    ["/job", "authorization", "203.0.113.112"],
    ["/v1/models", "authorization", "203.0.113.113"],
  ])("[E5] keys nobody has seen are looked up five at a time: %s", async (path, header, address) => {
    const holder = await proxied.database.pool.connect();
    try {
      await holder.query("begin; lock table api_keys in access exclusive mode");
      const requests = Array.from({ length: 20 }, (_, index) =>
        proxied.call(path, {
          key: null,
          // Each key has a limit too, and tests before this one sent others.
          headers: { [header]: `Bearer ${address}-${index}`, "x-forwarded-for": address },
        }),
      );
      await waitForLock(proxied.database.pool, Promise.all(requests), 5);
      await holder.query("commit");
      const statuses = (await Promise.all(requests)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([401, 429]));
    } finally {
      await holder.query("rollback");
      holder.release();
    }
  });

  it("[E5] uses the address from a trusted proxy, and from nobody else", async () => {
    const countRefused = async (api: TestApi) => {
      const send = (index: number) =>
        fetch(new URL("/models", api.address), { headers: { "x-forwarded-for": `203.0.113.${index}` } });
      const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => send(index)));
      return responses.filter(({ status }) => status === 429).length;
    };
    expect(await countRefused(limited)).toBeGreaterThanOrEqual(5);
    expect(await countRefused(proxied)).toBe(0);
  });

  it.each(["/health/live", "/health/ready"])("[G8] [E5] %s is never refused", async (path) => {
    const probe = () => limited.call(path, { key: null });
    for (const { status, headers } of await Promise.all(Array.from({ length: 90 }, probe))) {
      expect([status, headers.get("ratelimit-limit"), headers.get("ratelimit-remaining")]).toEqual([
        200,
        "5",
        "5",
      ]);
    }
  });

  it.each([
    ["/tasks/%zz", "NOT_FOUND", "203.0.113.151"],
    ["/tasks/%E0%A4%A?x=%zz", "NOT_FOUND", "203.0.113.152"],
    [`/tasks/${"x".repeat(600)}`, "NOT_FOUND", "203.0.113.153"],
    ["/%zz", "NOT_FOUND", "203.0.113.154"],
    ["/files/outputs/%zz", "LINK_INVALID", "203.0.113.155"],
  ])("[E5] counts a path that can't be decoded or is very long: %s", async (path, code, address) => {
    const { key } = await proxied.addAccount();
    const headers = { "x-forwarded-for": address };
    const first = await proxied.call(path, { key, headers });
    expect(first.headers.get("ratelimit-limit")).toBe("5");
    expect(first.headers.get("ratelimit-remaining")).toBe("4");
    expect(first.headers.get("ratelimit-reset")).toBe("1");
    expect((await errorOf(first)).code).toBe(code);
    const others = await Promise.all(Array.from({ length: 10 }, () => proxied.call(path, { key, headers })));
    expect(others.filter((response) => response.status === 429).length).toBeGreaterThanOrEqual(1);
  });

  it("[E5] counts rejected requests and unknown routes too", async () => {
    const { key } = await limited.addAccount();
    for (const path of ["/nothing/here", "/admin/clients", "/tasks/unknown-thing"]) {
      const response = await limited.call(path, { key });
      expect(Number(response.headers.get("ratelimit-remaining"))).toBeLessThan(5);
    }
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => limited.call("/nothing/here", { key })),
    );
    expect(responses.some(({ status }) => status === 429)).toBe(true);
  });
});
