import type { Me, PersonSession } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OpenApi } from "../../../../../test/support/openapi.ts";
import { startTestApi, type TestApi } from "../../../../../test/support/test-api.ts";
import { addPerson, openBrowser, signIn } from "../../../../../test/support/test-people.ts";

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const codeOf = async (response: Response) => {
  const { code } = (await response.json()) as { code?: string };
  return [response.status, code];
};
const signInHere = () => signIn(api, { clientId: api.account.clientId });
const DASHBOARD = { "x-stemwright-dashboard": "1" };

describe("a session", () => {
  it("[PE1] opens what a key of the account opens", async () => {
    const browser = await signInHere();
    const { id } = (await (await api.upload("text", "a.txt")).json()) as { id: string };
    expect((await browser.call("GET", `/assets/${id}`)).status).toBe(200);
    const set = await browser.call("POST", "/webhooks", { url: "https://example.com/hook" });
    expect(set.status).toBe(200);
    expect((await browser.call("DELETE", `/assets/${id}`)).status).toBe(200);
    expect(await codeOf(await browser.call("GET", "/admin/clients"))).toEqual([403, "ADMIN_REQUIRED"]);
  });

  it("[PE1] is 401 on every route that needs a key if there is no session", async () => {
    const document = (await (await api.call("/openapi.json")).json()) as OpenApi;
    const nobody = openBrowser(api);
    nobody.cookie = "stemwright_session=made-up";
    for (const path of ["/tasks", "/assets", "/webhooks", "/account/me", "/admin/clients"]) {
      expect(document.paths).toHaveProperty(path);
      expect(await codeOf(await nobody.call("GET", path))).toEqual([401, "SESSION_INVALID"]);
    }
    expect((await nobody.call("GET", "/models")).status).toBe(200);
    expect((await nobody.call("GET", "/account/options")).status).toBe(200);
  });

  it("[PE1] a key in the request takes precedence, even a wrong one", async () => {
    const browser = await signInHere();
    const { key, clientId } = await api.addAccount();
    const response = await api.call("/account/credits", {
      key,
      headers: { ...DASHBOARD, cookie: browser.cookie ?? "" },
    });
    expect(response.status).toBe(200);
    expect(clientId).not.toBe(api.account.clientId);
    const wrong = await api.call("/tasks", {
      key: "sw_wrong",
      headers: { ...DASHBOARD, cookie: browser.cookie ?? "" },
    });
    expect(await codeOf(wrong)).toEqual([401, "KEY_INVALID"]);
  });

  it("[PE5] is listed with its origin, and revoked at once", async () => {
    const { id, token } = await addPerson(api, { clientId: api.account.clientId });
    const browser = openBrowser(api);
    await browser.call("POST", "/account/sign-in/link", { token }, { "user-agent": "A browser".repeat(50) });
    const [session] = await browser.ask<PersonSession[]>("GET", "/account/sessions");
    expect(session).toMatchObject({
      method: "link",
      address: expect.stringMatching(/^127\.0\.0\.1$|^::/),
      isCurrent: true,
    });
    expect(session?.agent).toHaveLength(300);
    const { hash } = await api.database.db
      .selectFrom("person_sessions")
      .select("hash")
      .where("person_id", "=", id)
      .executeTakeFirstOrThrow();
    expect(hash).toHaveLength(32);
    await browser.ask("DELETE", `/account/sessions/${session?.id}`);
    expect(await codeOf(await browser.call("GET", "/tasks"))).toEqual([401, "SESSION_INVALID"]);
  });

  it("[PE5] ends when its person signs out, together with the cookie", async () => {
    const browser = await signInHere();
    const { cookie } = browser;
    await browser.ask("POST", "/account/sign-out");
    expect(browser.lastSetCookie).toMatch(/^stemwright_session=; Path=\/; Max-Age=0;/);
    browser.cookie = cookie;
    expect((await browser.call("GET", "/account/me")).status).toBe(401);
    expect((await openBrowser(api).call("POST", "/account/sign-out")).status).toBe(200);
  });

  it("[PE5] ends when its person signs out without the dashboard's header, as with a form or a program", async () => {
    for (const origin of [undefined, api.address]) {
      const browser = await signInHere();
      const signedOut = await fetch(new URL("/account/sign-out", api.address), {
        method: "POST",
        headers: { cookie: browser.cookie ?? "", ...(origin === undefined ? {} : { origin }) },
      });
      expect([signedOut.status, signedOut.headers.get("set-cookie")]).toEqual([
        200,
        expect.stringMatching(/^stemwright_session=; /),
      ]);
      expect((await browser.call("GET", "/account/me")).status).toBe(401);
    }
  });

  it("[PE5] is new at every sign-in; the browser's previous one becomes invalid", async () => {
    const victim = openBrowser(api);
    victim.cookie = "stemwright_session=chosen-by-somebody-else";
    const { token } = await addPerson(api, { clientId: api.account.clientId });
    await victim.ask("POST", "/account/sign-in/link", { token });
    expect(victim.cookie).toMatch(/^stemwright_session=[\w-]{43}$/);
    expect(victim.cookie).not.toContain("chosen-by-somebody-else");

    const attacker = await signInHere();
    const planted = attacker.cookie;
    const lured = openBrowser(api);
    lured.cookie = planted;
    const { token: own } = await addPerson(api, { clientId: api.account.clientId });
    await lured.ask("POST", "/account/sign-in/link", { token: own });
    expect(lured.cookie).not.toBe(planted);
    expect((await attacker.call("GET", "/account/me")).status).toBe(401);
  });

  it("[K6] [PE5] is rejected when its client is suspended, and its streams end", async () => {
    const { clientId } = await api.addAccount();
    const admin = await api.addAccount({ role: "admin" });
    const browser = await signIn(api, { clientId });
    const { token } = await addPerson(api, { clientId });
    const suspend = await api.call(`/admin/clients/${clientId}/suspend`, { method: "POST", key: admin.key });
    expect(suspend.status).toBe(200);
    expect(await codeOf(await browser.call("GET", "/tasks"))).toEqual([403, "CLIENT_SUSPENDED"]);
    expect(await codeOf(await openBrowser(api).call("POST", "/account/sign-in/link", { token }))).toEqual([
      403,
      "CLIENT_SUSPENDED",
    ]);
  });

  it("[K7] [PE8] of a new member's streams, those of other clients end and the client's own go on", async () => {
    const admin = await api.addAccount();
    await api.database.pool.query("update clients set is_administrative = true where id = $1", [
      admin.clientId,
    ]);
    const chief = await signIn(api, { clientId: admin.clientId });
    const demoted = await signIn(api, { clientId: admin.clientId });
    const createTask = async (key: string) => {
      const targets = [{ model: "vocals", formats: ["wav"] }];
      const created = await api.post("/tasks", { url: "https://example.com/a.wav", targets }, { key });
      return ((await created.json()) as { id: string }).id;
    };
    const follow = async (key: string, query: string) => {
      const stream = await demoted.call("GET", `/tasks/${await createTask(key)}/events${query}`);
      expect(stream.status).toBe(200);
      const ended = stream.text();
      let isOver = false;
      void ended.finally(() => {
        isOver = true;
      });
      return { ended, isOver: () => isOver };
    };
    const other = await follow(api.account.key, `?clientId=${api.account.clientId}`);
    const own = await follow(admin.key, "");
    await chief.ask("PATCH", `/account/people/${demoted.personId}`, { role: "member" });
    expect(await other.ended).toContain("event: target");
    expect(own.isOver()).toBe(false);
    await chief.ask("DELETE", `/account/people/${demoted.personId}`);
    await own.ended;
  });

  it("[K7] [PE5] an event stream ends when its session is revoked", async () => {
    const browser = await signInHere();
    const { key } = api.account;
    const created = await api.post(
      "/tasks",
      { url: "https://example.com/a.wav", targets: [{ model: "vocals", formats: ["wav"] }] },
      { key },
    );
    const { id } = (await created.json()) as { id: string };
    const stream = await browser.call("GET", `/tasks/${id}/events`);
    expect(stream.status).toBe(200);
    const ended = stream.text();
    const [session] = await browser.ask<PersonSession[]>("GET", "/account/sessions");
    const startMs = Date.now();
    await browser.ask("DELETE", `/account/sessions/${session?.id}`);
    expect(await ended).toContain("event: target");
    expect(Date.now() - startMs).toBeLessThan(15_000);
  });
});

describe("another site's page", () => {
  /** What a browser sends for another site's page that may use the cookie: everything except our header. */
  const sendAsOtherSite = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ) => {
    const browser = await signInHere();
    return await fetch(new URL(path, api.address), {
      method,
      headers: { cookie: browser.cookie ?? "", origin: "https://evil.example", ...headers },
      ...(body === undefined ? {} : { body }),
      redirect: "manual",
    });
  };

  it.each([
    ["POST", "/tasks", { "content-type": "application/json" }, "{}"],
    ["POST", "/account/keys", { "content-type": "application/json" }, '{"name":"x"}'],
    ["POST", "/account/keys", { "content-type": "text/plain" }, '{"name":"x"}'],
    ["POST", "/account/keys", {}, '{"name":"x"}'],
    ["PATCH", "/account/me", { "content-type": "application/json" }, '{"name":"x"}'],
    ["DELETE", "/tasks/abc", {}, undefined],
    ["GET", "/tasks", {}, undefined],
    ["GET", "/account/me", {}, undefined],
    ["GET", "/account/keys", {}, undefined],
  ] as const)("[PE1] gets nothing with the cookie: %s %s %j", async (method, path, headers, body) => {
    const response = await sendAsOtherSite(method, path, headers, body);
    expect(await codeOf(response)).toEqual([401, "KEY_MISSING"]);
    expect(response.headers.get("access-control-allow-credentials")).toBeNull();
  });

  it("[PE1] can't sign anybody out", async () => {
    const browser = await signInHere();
    for (const origin of ["https://evil.example", "null"]) {
      const refused = await fetch(new URL("/account/sign-out", api.address), {
        method: "POST",
        headers: { cookie: browser.cookie ?? "", origin },
      });
      expect([refused.headers.get("set-cookie"), ...(await codeOf(refused))]).toEqual([
        null,
        403,
        "PERSON_REQUIRED",
      ]);
    }
    expect((await browser.ask<Me>("GET", "/account/me")).person.id).toBe(browser.personId);
  });

  it.each([{ "content-type": "text/plain" }, { "content-type": "application/x-www-form-urlencoded" }])(
    "[PE1] can't sign anybody in with a form: %j",
    async (headers) => {
      const { token } = await addPerson(api, { clientId: api.account.clientId });
      const response = await fetch(new URL("/account/sign-in/link", api.address), {
        method: "POST",
        headers,
        body: JSON.stringify({ token }),
      });
      expect(response.status).toBe(415);
      expect(response.headers.get("set-cookie")).toBeNull();
    },
  );

  it("[PE1] [G4] is never allowed credentials: no response has the header or names an origin", async () => {
    const browser = await signInHere();
    const document = (await (await api.call("/openapi.json")).json()) as OpenApi;
    for (const path of Object.keys(document.paths).map((known) => known.replaceAll(/\{[^}]+\}/g, "x")))
      for (const method of ["OPTIONS", "GET"]) {
        const response = await fetch(new URL(path, api.address), {
          method,
          redirect: "manual",
          headers: {
            ...DASHBOARD,
            cookie: browser.cookie ?? "",
            origin: "https://evil.example",
            "access-control-request-method": "POST",
            "access-control-request-headers": "x-stemwright-dashboard,content-type",
          },
        });
        await response.body?.cancel();
        expect(response.headers.get("access-control-allow-credentials"), path).toBeNull();
        expect(response.headers.get("access-control-allow-origin"), path).toBe("*");
      }
  });
});

describe("the cookie", () => {
  const setCookieAt = async (environment: Record<string, string>, headers: Record<string, string> = {}) => {
    const own = await startTestApi(environment);
    try {
      // A proxy in front of the service strips the sub-path.
      const local = own.logLines.map((line) => /listening at (http:[^"]+)/.exec(line)?.[1]).find(Boolean);
      const { token } = await addPerson(own, { clientId: own.account.clientId });
      const response = await fetch(new URL("/account/sign-in/link", local ?? own.address), {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ token }),
      });
      expect(response.status).toBe(200);
      return response.headers.get("set-cookie") ?? "";
    } finally {
      await own.close();
    }
  };

  it("[PE6] is HttpOnly, same-site, and valid for the whole service", async () => {
    expect(await setCookieAt({})).toMatch(
      /^stemwright_session=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/,
    );
  });

  it("[PE6] is Secure behind https, and limited to the sub-path", async () => {
    expect(await setCookieAt({ PUBLIC_BASE_URL: "https://example.com/stems/" })).toMatch(
      /; Path=\/stems; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure$/,
    );
  });

  it("[PE6] is Secure if a trusted proxy says that the browser uses https", async () => {
    const proto = { "x-forwarded-proto": "https" };
    expect(await setCookieAt({ TRUST_PROXY: "127.0.0.1" }, proto)).toMatch(/; Secure$/);
    expect(await setCookieAt({}, proto)).toMatch(/; SameSite=Lax$/);
  });
});

it("[E5] requests are counted by session, and those of made-up ones by address", async () => {
  const limited = await startTestApi({ RATE_LIMIT_PER_SECOND: "5" });
  try {
    const { token } = await addPerson(limited, { clientId: limited.account.clientId });
    const browser = openBrowser({ call: (path, init) => fetch(new URL(path, limited.address), init) });
    await browser.ask("POST", "/account/sign-in/link", { token });
    expect((await browser.call("GET", "/tasks")).status).toBe(200);
    const guess = async (index: number) => {
      const nobody = openBrowser({ call: (path, init) => fetch(new URL(path, limited.address), init) });
      nobody.cookie = `stemwright_session=made-up-${index}`;
      return (await nobody.call("GET", "/tasks")).status;
    };
    const guesses = await Promise.all(Array.from({ length: 20 }, (_, index) => guess(index)));
    expect(guesses).toContain(429);
    expect((await browser.call("GET", "/tasks")).status).toBe(200);
  } finally {
    await limited.close();
  }
});
