import type { AccountOptions, Me, NewInvitation, ProviderRedirect } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  startIdentityProvider,
  type TestIdentityProvider,
} from "../../../../../test/support/identity-provider.ts";
import { startTestApi, type TestApi } from "../../../../../test/support/test-api.ts";
import { addPerson, openBrowser, signIn, type TestBrowser } from "../../../../../test/support/test-people.ts";
import { loadConfig } from "../../../config/load-config.ts";
import { makeId } from "../../../domain/ids.ts";

const BASE_URL = "http://stems.test/sub";
const CALLBACK = `${BASE_URL}/account/oidc/callback`;

let provider: TestIdentityProvider;
let api: TestApi;
/** The service's own address; the base URL is a proxy's. */
let local: string;
beforeAll(async () => {
  provider = await startIdentityProvider(() => [CALLBACK]);
  api = await startTestApi({
    PUBLIC_BASE_URL: BASE_URL,
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_NAME: "Acme",
    OIDC_DOMAINS: "Joins.Example, other.example",
  });
  local = api.logLines.map((line) => /listening at (http:[^"]+)/.exec(line)?.[1]).find(Boolean) ?? "";
});
afterAll(async () => {
  await api.close();
  await provider.close();
});

const open = (): TestBrowser =>
  openBrowser({
    call: (path, { key: _key, ...init } = {}) => fetch(new URL(path, local), { redirect: "manual", ...init }),
  });
const makeIdentity = (overrides: object = {}) => ({
  sub: makeId(),
  email: `${makeId()}@example.com`,
  email_verified: true,
  name: "Grace",
  ...overrides,
});

/** Goes to the provider; returns its redirect URL, and the cookie that the browser keeps meanwhile. */
async function leave(browser: TestBrowser) {
  const start = await browser.call("GET", "/account/oidc/start");
  expect(start.status).toBe(302);
  const setCookie = start.headers.getSetCookie().find((line) => line.startsWith("stemwright_oidc=")) ?? "";
  const back = new URL(await provider.follow(start.headers.get("location") ?? ""));
  expect(back.href).toContain(CALLBACK);
  return {
    setCookie,
    flowCookie: setCookie.split(";")[0] ?? "",
    callback: `/account/oidc/callback${back.search}`,
  };
}
/** The whole flow; returns where the browser ends up. */
async function signInThere(identity: object, browser = open()) {
  provider.become(makeIdentity(identity));
  const { flowCookie, callback } = await leave(browser);
  const cookie = [flowCookie, browser.cookie].filter(Boolean).join("; ");
  const response = await browser.call("GET", callback, undefined, { cookie });
  return { browser, response, location: response.headers.get("location") };
}

describe("signing in with an identity provider", () => {
  it("[PE10] is offered by name, and started with PKCE, state and nonce sealed in the browser", async () => {
    const browser = open();
    const options = await browser.ask<AccountOptions>("GET", "/account/options");
    expect(options.oidc).toEqual({ name: "Acme" });
    const start = await browser.call("GET", "/account/oidc/start");
    const url = new URL(start.headers.get("location") ?? "");
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: provider.clientId,
      redirect_uri: CALLBACK,
      code_challenge_method: "S256",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    const cookie = start.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(
      /^stemwright_oidc=[\w-]+; Path=\/sub\/account\/oidc; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    expect(cookie).not.toContain(url.searchParams.get("state"));
  });

  it("[PE10] knows people by identity, even if their address changes", async () => {
    const identity = makeIdentity({ email: `${makeId()}@joins.example` });
    const { browser, location } = await signInThere(identity);
    expect(location).toBe(`${BASE_URL}/app`);
    const me = await browser.ask<Me>("GET", "/account/me");
    expect(me).toMatchObject({ person: { email: identity.email, name: "Grace" }, needsPassword: false });
    const again = await signInThere({ ...identity, email: `${makeId()}@example.com`, email_verified: false });
    expect((await again.browser.ask<Me>("GET", "/account/me")).person.id).toBe(me.person.id);
  });

  it("[PE10] can be connected while signed in, under the same verified address; others have to ask", async () => {
    const email = `${makeId()}@example.com`;
    const { id, token } = await addPerson(api, { clientId: api.account.clientId, email });
    const refused = `${BASE_URL}/app/sign-in?problem=refused`;
    const signedIn = open();
    expect(await signedIn.ask<Me>("POST", "/account/sign-in/link", { token })).toMatchObject({
      hasIdentity: false,
    });
    const connect = (identity: object) => signInThere({ email, ...identity }, signedIn);
    expect((await connect({ email_verified: false })).location).toBe(refused);
    expect((await connect({})).location).toBe(`${BASE_URL}/app`);
    expect(await signedIn.ask<Me>("GET", "/account/me")).toMatchObject({ person: { id }, hasIdentity: true });
    expect((await connect({ sub: makeId() })).location).toBe(refused);
  });

  it("[PE5] [PE10] a sign-in there ends the browser's previous session", async () => {
    const email = `${makeId()}@joins.example`;
    const { browser } = await signInThere({ email, sub: email });
    const copy = open();
    copy.cookie = browser.cookie;
    expect((await copy.call("GET", "/account/me")).status).toBe(200);
    await signInThere({ email, sub: email }, browser);
    expect((await browser.call("GET", "/account/me")).status).toBe(200);
    expect((await copy.call("GET", "/account/me")).status).toBe(401);
  });

  it("[PE2] [PE10] a session from there sets a first password or an address for ten minutes, and no longer", async () => {
    const email = `${makeId()}@joins.example`;
    const { browser } = await signInThere({ email, sub: email });
    const { person } = await browser.ask<Me>("GET", "/account/me");
    await api.database.pool.query(
      "update person_sessions set created_at = now() - interval '11 minutes' where person_id = $1",
      [person.id],
    );
    expect(await browser.ask<Me>("GET", "/account/me")).toMatchObject({
      needsPassword: false,
      hasPassword: false,
      mayResetPassword: false,
    });
    const password = "a thief's horse";
    for (const change of [
      { password },
      { email: `${makeId()}@evil.example` },
      { password, currentPassword: "" },
    ]) {
      const refused = await browser.call("PATCH", "/account/me", change);
      expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
        403,
        "SIGN_IN_TOO_OLD",
      ]);
    }
    const { browser: fresh } = await signInThere({ email, sub: email });
    expect(await fresh.ask<Me>("PATCH", "/account/me", { password })).toMatchObject({ hasPassword: true });
    const again = await fresh.call("PATCH", "/account/me", { password: "another horse" });
    expect(again.status).toBe(403);
    await open().ask("POST", "/account/sign-in", { email, password });
  });

  it("[PE10] does not let anybody take over an account by typing in its address, nor the reverse", async () => {
    const email = `${makeId()}@joins.example`;
    await addPerson(api, { clientId: api.account.clientId, email });
    const { browser, location } = await signInThere({ email });
    expect([browser.cookie, location]).toEqual([undefined, `${BASE_URL}/app/sign-in?problem=unconnected`]);
    const another = open();
    const { token } = await addPerson(api, { clientId: api.account.clientId });
    await another.ask("POST", "/account/sign-in/link", { token });
    expect((await signInThere({ email }, another)).location).toBe(location);
  });

  it("[PE10] lets people of allowed domains join as members, and nobody else", async () => {
    const { browser } = await signInThere({ email: `${makeId()}@joins.example` });
    expect(await browser.ask<Me>("GET", "/account/me")).toMatchObject({
      person: { role: "member", isAdministrator: false },
      client: { id: api.account.clientId },
    });
    for (const email of [
      "a@example.com",
      "a@notjoins.example",
      "joins.example@evil.example",
      "a@evil.example@joins.example",
      '"a@evil.example"@joins.example',
      "a\u200b@joins.example",
    ]) {
      const refused = await signInThere({ email });
      expect(refused.location).toBe(`${BASE_URL}/app/sign-in?problem=refused`);
      expect(refused.browser.cookie).toBeUndefined();
    }
  });

  it("[PE10] a response counts once, in the same browser, and unchanged", async () => {
    provider.become(makeIdentity({ email: `${makeId()}@joins.example` }));
    const { callback, flowCookie } = await leave(open());
    const finish = async (headers: Record<string, string>, path = callback) => {
      const browser = open();
      const response = await browser.call("GET", path, undefined, headers);
      return { cookie: browser.cookie, location: response.headers.get("location") };
    };
    const failed = { cookie: undefined, location: `${BASE_URL}/app/sign-in?problem=provider` };
    expect(await finish({})).toEqual(failed);
    const { flowCookie: othersCookie } = await leave(open());
    expect(await finish({ cookie: othersCookie })).toEqual(failed);
    expect(await finish({ cookie: "stemwright_oidc=made-up" })).toEqual(failed);
    expect(await finish({ cookie: flowCookie }, callback.replace(/state=[^&]+/, "state=changed"))).toEqual(
      failed,
    );
    expect(await finish({ cookie: flowCookie })).toMatchObject({ location: `${BASE_URL}/app` });
    expect(await finish({ cookie: flowCookie })).toEqual(failed);
  });

  it("[PE10] [G9] no log line has a code, a token or the secret", async () => {
    const lines = api.logLines.join("");
    expect(lines).not.toContain(provider.clientSecret);
    expect(lines).not.toMatch(/code=|id_token|access_token/);
  });
});

describe("an invitation", () => {
  /** Another account's owner invites. */
  async function inviteFrom(clientId: string, body: object) {
    const { key } = await api.addAccount({ role: "admin" });
    return await fetch(new URL(`/account/invitations?clientId=${clientId}`, local), {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  }
  const addInvitation = async (clientId: string, body: object = {}) => {
    const { url, id } = (await (await inviteFrom(clientId, body)).json()) as NewInvitation;
    return { id, token: url.split("#")[1] ?? "" };
  };
  /** Confirms the invitation and goes through the provider. */
  async function acceptThere(token: string, identity: object) {
    provider.become(makeIdentity(identity));
    const browser = open();
    const response = await browser.call("POST", "/account/invitations/accept/provider", { token });
    expect(response.status).toBe(200);
    const [flowCookie = ""] = response.headers.getSetCookie()[0]?.split(";") ?? [];
    const back = new URL(await provider.follow(((await response.json()) as ProviderRedirect).url));
    const end = await browser.call("GET", `/account/oidc/callback${back.search}`, undefined, {
      cookie: flowCookie,
    });
    return { browser, location: end.headers.get("location") };
  }
  const problem = (name: string) => `${BASE_URL}/app/sign-in?problem=${name}`;
  const makeEmail = () => `${makeId()}@example.com`;

  it("[PE7] [PE10] is accepted by its link and the provider, once, with its role", async () => {
    const { clientId } = await api.addAccount();
    const email = makeEmail();
    const { token } = await addInvitation(clientId, { role: "owner", email: email.toUpperCase() });
    expect((await acceptThere(token, { email: makeEmail() })).location).toBe(problem("invitation"));
    expect((await acceptThere(token, { email, email_verified: false })).location).toBe(problem("refused"));
    const { browser, location } = await acceptThere(token, { email });
    expect(location).toBe(`${BASE_URL}/app`);
    expect(await browser.ask<Me>("GET", "/account/me")).toMatchObject({
      person: { email, name: "Grace", role: "owner" },
      client: { id: clientId },
    });
    const gone = await open().call("POST", "/account/invitations/accept/provider", { token });
    expect([gone.status, await gone.json()]).toMatchObject([403, { code: "INVITATION_INVALID" }]);
  });

  it("[PE7] [PE10] captures nobody who signs in without its link", async () => {
    const { clientId } = await api.addAccount();
    const email = makeEmail();
    const { token } = await addInvitation(clientId, { email });
    const looking = open();
    await looking.ask("POST", "/account/invitations/lookup", { token });
    expect((await signInThere({ email }, looking)).location).toBe(problem("refused"));
  });

  it("[PE10] does not move somebody who belongs to an account", async () => {
    const identity = makeIdentity({ email: `${makeId()}@joins.example` });
    const { browser } = await signInThere(identity);
    const { person, client } = await browser.ask<Me>("GET", "/account/me");
    const { clientId } = await api.addAccount();
    const { token } = await addInvitation(clientId);
    expect((await acceptThere(token, identity)).location).toBe(problem("known"));
    const again = await signInThere(identity);
    expect(await again.browser.ask<Me>("GET", "/account/me")).toMatchObject({
      person: { id: person.id },
      client,
    });
    expect((await acceptThere(token, { email: makeEmail() })).location).toBe(`${BASE_URL}/app`);
  });

  it("[PE10] can't take an address of OIDC_DOMAINS into another account, in no spelling", async () => {
    const { clientId } = await api.addAccount();
    const email = `${makeId()}@joins.example`;
    const reserved = [409, { code: "EMAIL_RESERVED" }];
    const invited = await inviteFrom(clientId, { email });
    expect([invited.status, await invited.json()]).toMatchObject(reserved);
    const { token } = await addInvitation(clientId);
    expect((await acceptThere(token, { email })).location).toBe(problem("reserved"));
    for (const spelled of [email, email.toUpperCase(), email.replace("joins", "ｊoins")]) {
      const body = { token, email: spelled, name: "Eve", password: "long enough" };
      const accepted = await open().call("POST", "/account/invitations/accept", body);
      expect([accepted.status, await accepted.json()], spelled).toMatchObject(reserved);
    }
    const { token: link } = await addPerson(api, { clientId });
    const eve = open();
    await eve.ask("POST", "/account/sign-in/link", { token: link });
    const changed = await eve.call("PATCH", "/account/me", { email, password: "long enough" });
    expect([changed.status, await changed.json()]).toMatchObject(reserved);

    const first = await addInvitation(api.account.clientId, { email });
    const body = { token: first.token, email, name: "Grace", password: "long enough" };
    expect((await open().call("POST", "/account/invitations/accept", body)).status).toBe(200);
  });

  it("[PE10] nor does an address that somebody else has typed in keep its owner out", async () => {
    const { clientId } = await api.addAccount();
    const [joining, invitedEmail] = [`${makeId()}@joins.example`, makeEmail()];
    for (const email of [joining, invitedEmail]) await addPerson(api, { clientId, email });
    const { browser } = await signInThere({ email: joining });
    expect(await browser.ask<Me>("GET", "/account/me")).toMatchObject({
      person: { email: null, role: "member", name: "Grace" },
      client: { id: api.account.clientId },
    });
    const { token } = await addInvitation(api.account.clientId);
    const accepted = await acceptThere(token, { email: invitedEmail });
    expect(await accepted.browser.ask<Me>("GET", "/account/me")).toMatchObject({
      person: { email: null },
      client: { id: api.account.clientId },
    });
  });
});

describe("without an identity provider", () => {
  it("[PE10] there is none, and its routes are unknown", async () => {
    const bare = await startTestApi();
    const options = (await (await bare.call("/account/options", { key: null })).json()) as AccountOptions;
    expect(options).toEqual({ hasPeople: false, oidc: null });
    for (const path of ["start", "callback"])
      expect((await bare.call(`/account/oidc/${path}`, { key: null })).status).toBe(404);
    const owner = await signIn(bare, { clientId: bare.account.clientId });
    const { url } = await owner.ask<NewInvitation>("POST", "/account/invitations", {});
    const token = url.split("#")[1];
    expect((await owner.call("POST", "/account/invitations/accept/provider", { token })).status).toBe(404);
    await bare.close();
  });

  it("[PE10] [S1] half of its settings is a mistake, and its secret is not shown in one", () => {
    expect(() => loadConfig({ OIDC_ISSUER: "https://id.example" })).toThrow(/OIDC_CLIENT_ID belong together/);
    const load = () =>
      loadConfig({ OIDC_ISSUER: "nowhere", OIDC_CLIENT_ID: "a", OIDC_CLIENT_SECRET: "hush" });
    expect(load).toThrow(/OIDC_ISSUER is "nowhere"/);
    expect(load).not.toThrow(/hush/);
  });

  it("[PE10] a provider that does not answer is reported on the sign-in page", async () => {
    const lost = await startTestApi({ OIDC_ISSUER: "http://127.0.0.1:9", OIDC_CLIENT_ID: "a" });
    const response = await lost.call("/account/oidc/start", { key: null, redirect: "manual" });
    expect(response.headers.get("location")).toBe(`${lost.address}/app/sign-in?problem=provider`);
    await lost.close();
  });
});
