import { createHash } from "node:crypto";
import type {
  AccountCredits,
  ApiKey,
  Invitation,
  Me,
  NewApiKey,
  NewInvitation,
  Person,
  PersonSession,
} from "@stemwright/contract";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../../../test/support/test-api.ts";
import { addPerson, openBrowser, signIn } from "../../../../../test/support/test-people.ts";
import { waitForLock } from "../../../../../test/support/wait-for-lock.ts";
import { makePeopleStore } from "../../../db/accounts/make-people-store.ts";
import { deleteExpiredEntries } from "../../../db/accounts/session-rows.ts";
import { makePasswords } from "../../../domain/accounts/passwords.ts";
import { makeSignInLink, openSession } from "../../../domain/accounts/sign-in.ts";
import { makeId } from "../../../domain/ids.ts";

let api: TestApi;
let admin: TestAccount;
beforeAll(async () => {
  api = await startTestApi({ TRUST_PROXY: "127.0.0.1" });
  admin = await api.addAccount({ role: "admin" });
  await api.database.db
    .updateTable("clients")
    .set({ is_administrative: true })
    .where("id", "=", admin.clientId)
    .execute();
});
afterAll(() => api.close());

const codeOf = async (response: Response) => {
  const { code } = (await response.json()) as { code?: string };
  return [response.status, code];
};
const makeEmail = () => `${makeId()}@example.com`;
const PASSWORD = "correct horse";

/** A browser with a person who signed in with email and password. */
async function signUp(clientId = api.account.clientId, role: "owner" | "member" = "owner") {
  const browser = await signIn(api, { clientId, role });
  const email = makeEmail();
  await browser.ask("PATCH", "/account/me", { email, password: PASSWORD, name: "Ada" });
  return Object.assign(browser, { email });
}

describe("one-time links", () => {
  it("[PE2] work once, and ask for email and password", async () => {
    const { token, id } = await addPerson(api, { clientId: api.account.clientId });
    const browser = openBrowser(api);
    const me = await browser.ask<Me>("POST", "/account/sign-in/link", { token });
    expect(me).toEqual({
      person: { id, email: null, name: "Ada", role: "owner", isAdministrator: false },
      client: { id: api.account.clientId, name: "Test" },
      hasIdentity: false,
      needsPassword: true,
      hasPassword: false,
      mayResetPassword: true,
    });
    expect(await codeOf(await openBrowser(api).call("POST", "/account/sign-in/link", { token }))).toEqual([
      403,
      "SIGN_IN_LINK_INVALID",
    ]);
    expect(await codeOf(await browser.call("PATCH", "/account/me", { password: PASSWORD }))).toEqual([
      400,
      "REQUEST_INVALID",
    ]);
    const email = makeEmail();
    const changed = await browser.ask<Me>("PATCH", "/account/me", {
      email: ` ${email.toUpperCase()} `,
      password: PASSWORD,
    });
    expect(changed).toMatchObject({ person: { email }, needsPassword: false, mayResetPassword: false });
  });

  it("[PE2] admit one of ten who use the same link at once", async () => {
    const { token } = await addPerson(api, { clientId: api.account.clientId });
    const tries = Array.from({ length: 10 }, () =>
      openBrowser(api).call("POST", "/account/sign-in/link", { token }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, ...Array(9).fill(403)]);
  });

  it("[PE2] expire after an hour", async () => {
    const { token, id } = await addPerson(api, { clientId: api.account.clientId });
    await sql`update sign_in_links set expires_at = now() - interval '1 second' where person_id = ${id}`.execute(
      api.database.db,
    );
    expect((await openBrowser(api).call("POST", "/account/sign-in/link", { token })).status).toBe(403);
  });

  it("[PE2] allow setting the first password, or an address, within an hour", async () => {
    const browser = await signIn(api, { clientId: api.account.clientId });
    const age = (interval: string) =>
      api.database.pool.query(
        "update person_sessions set created_at = now() - $1::interval where person_id = $2",
        [interval, browser.personId],
      );
    await age("61 minutes");
    expect(await browser.ask<Me>("GET", "/account/me")).toMatchObject({ mayResetPassword: false });
    const email = makeEmail();
    for (const change of [{ email, password: PASSWORD }, { email }, { email, currentPassword: "" }])
      expect(await codeOf(await browser.call("PATCH", "/account/me", change))).toEqual([
        403,
        "SIGN_IN_TOO_OLD",
      ]);
    await browser.ask("PATCH", "/account/me", { name: "Grace" });
    await age("59 minutes");
    await browser.ask("PATCH", "/account/me", { email, password: PASSWORD });
  });

  it("[PE2] allow setting a forgotten password within an hour", async () => {
    const { email, personId } = await signUp();
    const again = async () => {
      const [, token] = (await makeSignInLink(makePeopleStore(api.database.db), personId, "")).split("#");
      const browser = openBrowser(api);
      return { browser, me: await browser.ask<Me>("POST", "/account/sign-in/link", { token }) };
    };
    const { browser, me } = await again();
    expect(me).toMatchObject({ needsPassword: false, mayResetPassword: true });
    await browser.ask("PATCH", "/account/me", { password: "another horse" });
    await openBrowser(api).ask("POST", "/account/sign-in", { email, password: "another horse" });
    const late = await again();
    await sql`update person_sessions set created_at = now() - interval '2 hours' where person_id = ${personId}`.execute(
      api.database.db,
    );
    expect(await codeOf(await late.browser.call("PATCH", "/account/me", { password: PASSWORD }))).toEqual([
      403,
      "PASSWORD_WRONG",
    ]);
  });
});

describe("passwords", () => {
  it("[PE3] work with the email address in any case, and only the right one does", async () => {
    const { email } = await signUp();
    const browser = openBrowser(api);
    for (const wrong of [
      { email, password: `${PASSWORD}!` },
      { email: makeEmail(), password: PASSWORD },
      { email: `${email}\0`, password: PASSWORD },
    ]) {
      const response = await browser.call("POST", "/account/sign-in", wrong);
      expect([400, 401]).toContain(response.status);
      expect(response.headers.get("set-cookie")).toBeNull();
    }
    const me = await browser.ask<Me>("POST", "/account/sign-in", {
      email: email.toUpperCase(),
      password: PASSWORD,
    });
    expect(me.person.email).toBe(email);
  });

  it("[PE3] give the same response to a wrong password and an unknown address, after the same work", async () => {
    const { email } = await signUp();
    const guess = (address: string) =>
      openBrowser(api).call("POST", "/account/sign-in", { email: address, password: "a wrong horse" });
    const [known, unknown] = [await guess(email), await guess(makeEmail())];
    const shown = async (response: Response) => {
      const { requestId, ...body } = (await response.json()) as Record<string, unknown>;
      return { status: response.status, body };
    };
    expect(await shown(known)).toEqual(await shown(unknown));
  });

  it.each(["short", "ninechars", "🐎🐎🐎🐎🐎🐎🐎🐎🐎"])(
    "[PE3] of less than ten characters are refused: %s",
    async (password) => {
      const browser = await signIn(api, { clientId: api.account.clientId });
      expect(
        await codeOf(await browser.call("PATCH", "/account/me", { email: makeEmail(), password })),
      ).toEqual([400, "REQUEST_INVALID"]);
    },
  );

  it("[PE3] are stored as argon2id", async () => {
    const { personId } = await signUp();
    const { password_hash } = await api.database.db
      .selectFrom("people")
      .select("password_hash")
      .where("id", "=", personId)
      .executeTakeFirstOrThrow();
    expect(password_hash).toMatch(/^\$argon2id\$v=19\$m=32768,t=3,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  });

  it("[PE3] [PE5] are changed with the current one, and end every other session", async () => {
    const browser = await signUp();
    const other = openBrowser(api);
    await other.ask("POST", "/account/sign-in", { email: browser.email, password: PASSWORD });
    const cookie = browser.cookie;
    const change = { password: "another horse" };
    expect(await codeOf(await browser.call("PATCH", "/account/me", change))).toEqual([403, "PASSWORD_WRONG"]);
    expect(
      await codeOf(await browser.call("PATCH", "/account/me", { ...change, currentPassword: "wrong one" })),
    ).toEqual([403, "PASSWORD_WRONG"]);
    expect(await codeOf(await browser.call("PATCH", "/account/me", { email: makeEmail() }))).toEqual([
      403,
      "PASSWORD_WRONG",
    ]);
    await browser.ask("PATCH", "/account/me", { ...change, currentPassword: PASSWORD });
    expect(browser.cookie).not.toBe(cookie);
    expect(await browser.ask<PersonSession[]>("GET", "/account/sessions")).toHaveLength(1);
    expect(await codeOf(await other.call("GET", "/tasks"))).toEqual([401, "SESSION_INVALID"]);
    expect(
      await codeOf(
        await openBrowser(api).call("POST", "/account/sign-in", { email: browser.email, password: PASSWORD }),
      ),
    ).toEqual([401, "SIGN_IN_FAILED"]);
  });

  it("[PE7] an email address belongs to one person", async () => {
    const [one, two] = [await signUp(), await signUp()];
    expect(
      await codeOf(await two.call("PATCH", "/account/me", { email: one.email, currentPassword: PASSWORD })),
    ).toEqual([409, "EMAIL_TAKEN"]);
  });
});

describe("a change of password", () => {
  const NEW_PASSWORD = "another horse";

  /** Requests that have checked the old password, or used the link, when another transaction changes the password and ends all sessions. */
  async function raceAgainstChange(personId: string, start: () => Promise<Response>[]): Promise<Response[]> {
    const holder = await api.database.pool.connect();
    try {
      await holder.query("begin");
      await holder.query("update people set password_hash = $2 where id = $1", [
        personId,
        await makePasswords().hash(NEW_PASSWORD, "somebody"),
      ]);
      await holder.query("delete from person_sessions where person_id = $1", [personId]);
      const requests = start();
      await waitForLock(api.database.pool, Promise.all(requests), requests.length);
      await holder.query("delete from sign_in_links where person_id = $1", [personId]);
      await holder.query("commit");
      return await Promise.all(requests);
    } finally {
      await holder.query("rollback");
      holder.release();
    }
  }
  const countSessions = async (personId: string) =>
    (await makePeopleStore(api.database.db).listSessions(personId)).length;

  it("[PE5] leaves no session of a sign-in that was checked before it", async () => {
    const { email, personId } = await signUp();
    const link = await makeSignInLink(makePeopleStore(api.database.db), personId, "");
    const [withPassword, withLink] = await raceAgainstChange(personId, () => [
      openBrowser(api).call("POST", "/account/sign-in", { email, password: PASSWORD }),
      openBrowser(api).call("POST", "/account/sign-in/link", { token: link.split("#")[1] }),
    ]);
    expect(withPassword && (await codeOf(withPassword))).toEqual([401, "SIGN_IN_FAILED"]);
    expect(withLink && (await codeOf(withLink))).toEqual([403, "SIGN_IN_LINK_INVALID"]);
    expect(await countSessions(personId)).toBe(0);
    await openBrowser(api).ask("POST", "/account/sign-in", { email, password: NEW_PASSWORD });
  });

  it("[PE5] is not undone by one that was checked against the old password", async () => {
    const thief = await signUp();
    const [changed, renamed] = await raceAgainstChange(thief.personId, () => [
      thief.call("PATCH", "/account/me", { password: "a thief's horse", currentPassword: PASSWORD }),
      thief.call("PATCH", "/account/me", { email: makeEmail(), currentPassword: PASSWORD }),
    ]);
    expect(changed && (await codeOf(changed))).toEqual([401, "SESSION_INVALID"]);
    expect(renamed && (await codeOf(renamed))).toEqual([401, "SESSION_INVALID"]);
    const { email } = thief;
    await openBrowser(api).ask("POST", "/account/sign-in", { email, password: NEW_PASSWORD });
  });

  it("[PE5] ends what signs in while it is made, whichever comes first", async () => {
    const browser = await signUp();
    const { email, personId } = browser;
    const signIns = Array.from({ length: 2 }, () =>
      openBrowser(api).call("POST", "/account/sign-in", { email, password: PASSWORD }),
    );
    await browser.ask("PATCH", "/account/me", { password: NEW_PASSWORD, currentPassword: PASSWORD });
    for (const { status } of await Promise.all(signIns)) expect([200, 401]).toContain(status);
    const { id } = (await browser.ask<PersonSession[]>("GET", "/account/sessions"))[0] ?? {};
    expect((await makePeopleStore(api.database.db).listSessions(personId)).map((one) => one.id)).toEqual([
      id,
    ]);
  });
});

describe("guessing", () => {
  const from = (address: string) => ({ "x-forwarded-for": address });
  const wrong = (email: string) => ({ email, password: "not this one" });
  const guess = async (email: string, address: string, browser = openBrowser(api)) =>
    await codeOf(await browser.call("POST", "/account/sign-in", wrong(email), from(address)));
  const signInFrom = (email: string, address: string, browser = openBrowser(api)) =>
    browser.call("POST", "/account/sign-in", { email, password: PASSWORD }, from(address));
  /** As if the time had passed. */
  const pass = (seconds: number) =>
    sql`update sign_in_allowances set counted_at = counted_at - make_interval(secs => ${seconds})`.execute(
      api.database.db,
    );

  it("[PE4] from one address is slowed after four attempts, even concurrent ones, and locks nobody else", async () => {
    const { email } = await signUp();
    const answers = await Promise.all(Array.from({ length: 14 }, () => guess(email, "192.0.2.1")));
    expect(answers.filter(([, code]) => code === "SIGN_IN_FAILED")).toHaveLength(4);
    expect(answers.filter(([, code]) => code === "SIGN_IN_THROTTLED")).toHaveLength(10);
    expect((await signInFrom(email, "192.0.2.2")).status).toBe(200);
    const right = await signInFrom(email, "192.0.2.1");
    expect(await codeOf(right)).toEqual([429, "SIGN_IN_THROTTLED"]);
    const seconds = Number(right.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(50);
    expect(seconds).toBeLessThanOrEqual(60);
    await pass(60);
    expect((await signInFrom(email, "192.0.2.1")).status).toBe(200);
    for (let attempt = 0; attempt < 3; attempt++)
      expect((await guess(email, "192.0.2.1"))[0], `attempt ${attempt} after a right one`).toBe(401);
  });

  it("[PE4] from many addresses locks new browsers, not those that signed in before", async () => {
    const { email, personId } = await signUp();
    const known = openBrowser(api);
    expect((await signInFrom(email, "198.51.100.1", known)).status).toBe(200);
    const answers = [];
    for (let address = 1; address <= 12; address++) answers.push(await guess(email, `192.0.2.${address}`));
    expect(answers.filter(([status]) => status === 401)).toHaveLength(7);
    expect((await signInFrom(email, "198.51.100.1")).status).toBe(429);
    expect((await signInFrom(email, "203.0.113.1", known)).status).toBe(200);

    for (let attempt = 0; attempt < 7; attempt++)
      expect((await guess(email, "203.0.113.1", known))[0]).toBe(401);
    expect((await signInFrom(email, "203.0.113.1", known)).status).toBe(429);
    await pass(300);
    expect((await signInFrom(email, "203.0.113.1", known)).status).toBe(200);

    await sql`update people set password_hash = overlay(password_hash placing 'AAAA' from 40) where id = ${personId}`.execute(
      api.database.db,
    );
    for (const address of ["192.0.2.21", "192.0.2.22"]) await guess(email, address);
    expect((await signInFrom(email, "203.0.113.1", known)).status, "after a change of password").toBe(429);
  });

  it("[PE4] a browser's cookie is of no use for other people, when changed, or as a session", async () => {
    const [mine, theirs] = [await signUp(), await signUp()];
    const browser = openBrowser(api);
    const answer = await signInFrom(mine.email, "192.0.2.20", browser);
    const line = answer.headers.getSetCookie().find((one) => one.startsWith("stemwright_browser_")) ?? "";
    expect(line).toMatch(
      /^stemwright_browser_[0-9a-f]{8}=[\w-]{100,}; Path=\/account\/sign-in; Max-Age=34560000; HttpOnly; SameSite=Lax$/,
    );
    const [cookie = ""] = line.split(";");
    const [, value = ""] = cookie.split("=");
    const foreign = `stemwright_browser_${createHash("sha256").update(theirs.personId).digest("hex").slice(0, 8)}=${value}`;
    for (const [email, sent] of [
      [theirs.email, foreign],
      [mine.email, `${cookie.slice(0, -8)}AAAAAAAA`],
      [mine.email, `${cookie.split("=")[0]}=%00`],
    ] as const) {
      const attempt = () =>
        openBrowser(api).call("POST", "/account/sign-in", wrong(email), {
          ...from("192.0.2.21"),
          cookie: sent,
        });
      await sql`delete from sign_in_allowances`.execute(api.database.db);
      for (let attempts = 0; attempts < 4; attempts++) expect((await attempt()).status).toBe(401);
      expect((await attempt()).status, sent).toBe(429);
    }
    expect((await openBrowser(api).call("GET", "/account/me", undefined, { cookie })).status).toBe(401);
  });

  it("[PE4] slows an address after twenty attempts, whatever the accounts, by half a minute", async () => {
    await sql`delete from sign_in_allowances`.execute(api.database.db);
    for (let attempt = 0; attempt < 20; attempt++)
      expect((await guess(makeEmail(), "192.0.2.30"))[0]).toBe(401);
    expect((await guess(makeEmail(), "192.0.2.30"))[0]).toBe(429);
    const { email } = await signUp();
    const slowed = await signInFrom(email, "192.0.2.30");
    expect(Number(slowed.headers.get("retry-after"))).toBeLessThanOrEqual(30);
    await pass(30);
    expect((await signInFrom(email, "192.0.2.30")).status).toBe(200);
    expect((await guess(makeEmail(), "192.0.2.31"))[0]).toBe(401);
  });

  it("[PE4] the current password is counted for each session, and not for signing in", async () => {
    const one = await signUp();
    const two = openBrowser(api);
    await two.ask("POST", "/account/sign-in", { email: one.email, password: PASSWORD });
    const change = async (browser: typeof two, currentPassword: string) =>
      (await browser.call("PATCH", "/account/me", { email: makeEmail(), currentPassword })).status;
    for (let attempt = 0; attempt < 7; attempt++) expect(await change(two, "not this one")).toBe(403);
    expect(await change(two, PASSWORD)).toBe(429);
    expect(await change(one, PASSWORD)).toBe(200);
    await pass(300);
    expect(await change(two, PASSWORD)).toBe(200);
  });

  it("[PE4] [PE10] sessions of the identity provider share one count", async () => {
    const { personId } = await signUp();
    const browsers = await Promise.all(
      [1, 2].map(async () => {
        const browser = openBrowser(api);
        const person = await makePeopleStore(api.database.db).findPerson({ id: personId });
        if (!person) throw new Error("the person is gone");
        const visitor = { address: "192.0.2.40", agent: "" };
        const { token } = await openSession(makePeopleStore(api.database.db), person, {
          method: "oidc",
          visitor,
        });
        browser.cookie = `stemwright_session=${token}`;
        return browser;
      }),
    );
    const statuses = [];
    for (let attempt = 0; attempt < 8; attempt++) {
      const body = { email: makeEmail(), currentPassword: "not this one" };
      statuses.push((await browsers[attempt % 2]?.call("PATCH", "/account/me", body))?.status);
    }
    expect(statuses).toEqual([...Array(7).fill(403), 429]);
  });
});

describe("invitations", () => {
  it("[PE7] admit one person, with their role and for their address", async () => {
    const owner = await signUp();
    const email = makeEmail();
    const made = await owner.ask<NewInvitation>("POST", "/account/invitations", { role: "member", email });
    expect(made.url).toMatch(new RegExp(`^${api.address}/app/invitation#[\\w-]{43}$`));
    expect(Date.parse(made.expiresAt) - Date.now()).toBeGreaterThan(6 * 86_400_000);
    const listed = await owner.ask<Invitation[]>("GET", "/account/invitations");
    expect(listed.find(({ id }) => id === made.id)).toEqual({
      id: made.id,
      role: "member",
      email,
      createdAt: made.createdAt,
      expiresAt: made.expiresAt,
    });
    const token = made.url.split("#")[1];
    const accept = (address: string) =>
      openBrowser(api).call("POST", "/account/invitations/accept", {
        token,
        email: address,
        name: "Bo",
        password: PASSWORD,
      });
    expect(await codeOf(await accept(makeEmail()))).toEqual([403, "INVITATION_INVALID"]);
    const tries = await Promise.all([accept(email), accept(email)]);
    expect(tries.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    const joined = (await tries.find(({ status }) => status === 200)?.json()) as Me;
    expect(joined).toMatchObject({
      person: { email, name: "Bo", role: "member", isAdministrator: false },
      needsPassword: false,
    });
    const people = await owner.ask<Person[]>("GET", "/account/people");
    expect(people.map((person) => person.email)).toContain(email);
    await openBrowser(api).ask("POST", "/account/sign-in", { email, password: PASSWORD });
  });

  it("[PE7] tell whoever has the link which account it leads into, before they join", async () => {
    const owner = await signUp();
    const email = makeEmail();
    const made = await owner.ask<NewInvitation>("POST", "/account/invitations", { role: "owner", email });
    const look = (token: string | undefined) =>
      openBrowser(api).call("POST", "/account/invitations/lookup", { token });
    const seen = await look(made.url.split("#")[1]);
    expect(await seen.json()).toEqual({
      client: { name: "Test" },
      role: "owner",
      email,
      expiresAt: made.expiresAt,
    });
    expect(await codeOf(await look("made-up"))).toEqual([403, "INVITATION_INVALID"]);
    await owner.ask("DELETE", `/account/invitations/${made.id}`);
    expect((await look(made.url.split("#")[1])).status).toBe(403);
  });

  it("[PE7] are for email addresses, not for quotes, two @ or what nobody can see", async () => {
    const owner = await signUp();
    for (const email of [
      '"a"@example.com',
      "a@b@example.com",
      "<a@example.com>",
      "a\u0007@example.com",
      "a\u200b@example.com",
      "a@example..com",
      "a@example.com.",
      "a",
    ])
      expect(await codeOf(await owner.call("POST", "/account/invitations", { email })), email).toEqual([
        400,
        "REQUEST_INVALID",
      ]);
    for (const email of ["o'brien+1@example.com", "ada@localhost", "j\u00fcrgen@b\u00fccher.example"])
      expect((await owner.call("POST", "/account/invitations", { email })).status, email).toBe(200);
  });

  it("[PE7] tell an account only a few times that an address is taken, and then answer alike", async () => {
    const { clientId } = await api.addAccount();
    const owner = await signUp(clientId);
    const others = (await api.addAccount()).clientId;
    const strangers = Array.from({ length: 11 }, () => ({ clientId: others, email: makeEmail() }));
    for (const stranger of strangers) await addPerson(api, stranger);
    const { url } = await owner.ask<NewInvitation>("POST", "/account/invitations", {});
    const accept = async (email: string) => {
      const body = { token: url.split("#")[1], email, name: "Bo", password: PASSWORD };
      return await codeOf(await openBrowser(api).call("POST", "/account/invitations/accept", body));
    };
    const change = async (email: string) =>
      await codeOf(await owner.call("PATCH", "/account/me", { email, currentPassword: PASSWORD }));
    for (const { email } of strangers.slice(0, 3)) expect(await accept(email)).toEqual([409, "EMAIL_TAKEN"]);
    for (let count = 0; count < 6; count++) expect(await change(makeEmail())).toEqual([200, undefined]);
    for (const { email } of strangers.slice(3, 10)) expect(await change(email)).toEqual([409, "EMAIL_TAKEN"]);
    for (const email of [strangers[10]?.email ?? "", makeEmail()]) {
      expect(await accept(email)).toEqual([429, "SIGN_IN_THROTTLED"]);
      expect(await change(email)).toEqual([429, "SIGN_IN_THROTTLED"]);
    }
    const other = await signUp((await api.addAccount()).clientId);
    expect(
      (await other.call("PATCH", "/account/me", { email: makeEmail(), currentPassword: PASSWORD })).status,
    ).toBe(200);
  });

  it("[PE7] can be withdrawn, expire, and are refused for existing people", async () => {
    const owner = await signUp();
    const invite = async (body: object = {}) =>
      await owner.ask<NewInvitation>("POST", "/account/invitations", body);
    const accept = async ({ url }: NewInvitation, email = makeEmail()) =>
      await openBrowser(api).call("POST", "/account/invitations/accept", {
        token: url.split("#")[1],
        email,
        name: "Bo",
        password: PASSWORD,
      });
    const withdrawn = await invite();
    await owner.ask("DELETE", `/account/invitations/${withdrawn.id}`);
    expect((await owner.call("DELETE", `/account/invitations/${withdrawn.id}`)).status).toBe(404);
    expect((await accept(withdrawn)).status).toBe(403);
    const late = await invite();
    await sql`update invitations set expires_at = now() - interval '1 second' where id = ${late.id}`.execute(
      api.database.db,
    );
    expect((await accept(late)).status).toBe(403);
    expect(await codeOf(await owner.call("POST", "/account/invitations", { email: owner.email }))).toEqual([
      409,
      "EMAIL_TAKEN",
    ]);
    const other = await signUp((await api.addAccount()).clientId);
    expect((await other.call("POST", "/account/invitations", { email: owner.email })).status).toBe(200);
    const open = await invite();
    expect(await codeOf(await accept(open, owner.email))).toEqual([409, "EMAIL_TAKEN"]);
    expect((await accept(open)).status).toBe(200);
  });
});

describe("roles", () => {
  it("[PE8] owners invite, change and remove people; members can't", async () => {
    const { clientId } = await api.addAccount();
    const owner = await signUp(clientId);
    const member = await signUp(clientId, "member");
    for (const [method, path, body] of [
      ["POST", "/account/invitations", {}],
      ["DELETE", `/account/invitations/${makeId()}`, undefined],
      ["PATCH", `/account/people/${owner.personId}`, { role: "member" }],
      ["DELETE", `/account/people/${owner.personId}`, undefined],
    ] as const)
      expect(await codeOf(await member.call(method, path, body)), path).toEqual([403, "OWNER_REQUIRED"]);
    expect((await member.ask<Person[]>("GET", "/account/people")).map(({ id }) => id)).toEqual([
      owner.personId,
      member.personId,
    ]);
    const promoted = await owner.ask<Person>("PATCH", `/account/people/${member.personId}`, {
      role: "owner",
    });
    expect(promoted.role).toBe("owner");
    await member.ask("DELETE", `/account/people/${owner.personId}`);
    expect(await codeOf(await owner.call("GET", "/account/me"))).toEqual([401, "SESSION_INVALID"]);
  });

  it("[PE8] an account keeps an owner, even if two step down at once", async () => {
    const { clientId } = await api.addAccount();
    const one = await signUp(clientId);
    expect(await codeOf(await one.call("DELETE", `/account/people/${one.personId}`))).toEqual([
      409,
      "LAST_OWNER",
    ]);
    const two = await signUp(clientId);
    const stepDown = [one, two].map((who) =>
      who.call("PATCH", `/account/people/${who.personId}`, { role: "member" }),
    );
    expect((await Promise.all(stepDown)).map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it("[PE8] nobody sees or changes another account's people", async () => {
    const mine = await signUp();
    const theirs = await signUp((await api.addAccount()).clientId);
    expect((await mine.call("DELETE", `/account/people/${theirs.personId}`)).status).toBe(404);
    expect((await mine.call("DELETE", `/account/sessions/${makeId()}`)).status).toBe(404);
    const people = await mine.ask<Person[]>("GET", "/account/people");
    expect(people.map(({ id }) => id)).not.toContain(theirs.personId);
    expect(await codeOf(await mine.call("GET", `/account/people?clientId=${admin.clientId}`))).toEqual([
      403,
      "ADMIN_REQUIRED",
    ]);
  });

  it("[PE8] owners of an administrative account act for all clients, its members do not", async () => {
    const owner = await signUp(admin.clientId);
    expect((await owner.ask<Me>("GET", "/account/me")).person.isAdministrator).toBe(true);
    expect((await owner.call("GET", "/admin/clients")).status).toBe(200);
    const invited = await owner.ask<NewInvitation>(
      "POST",
      `/account/invitations?clientId=${api.account.clientId}`,
      { role: "owner" },
    );
    expect(invited.role).toBe("owner");
    expect((await owner.call("GET", `/tasks?clientId=${api.account.clientId}`)).status).toBe(200);
    const entry = await owner.ask<{ keyId: string }>(
      "POST",
      `/admin/clients/${api.account.clientId}/credits`,
      {
        amount: 1,
        note: "a gift",
      },
    );
    expect(entry.keyId).toBe(owner.personId);
    const member = await signUp(admin.clientId, "member");
    expect((await member.ask<Me>("GET", "/account/me")).person.isAdministrator).toBe(false);
    expect(await codeOf(await member.call("GET", "/admin/clients"))).toEqual([403, "ADMIN_REQUIRED"]);
  });
});

describe("an account's keys and credits", () => {
  it("[PE9] members create, name and revoke keys; a revoked one is 401 at once", async () => {
    const member = await signUp(api.account.clientId, "member");
    const made = await member.ask<NewApiKey>("POST", "/account/keys", { name: "Laptop" });
    expect(made).toMatchObject({ name: "Laptop", role: "client", clientId: api.account.clientId });
    expect((await api.call("/tasks", { key: made.secret })).status).toBe(200);
    const listed = await member.ask<ApiKey[]>("GET", "/account/keys");
    expect(listed.find(({ id }) => id === made.id)).not.toHaveProperty("secret");
    await member.ask("DELETE", `/account/keys/${made.id}`);
    expect(await codeOf(await api.call("/tasks", { key: made.secret }))).toEqual([401, "KEY_INVALID"]);
  });

  it("[PE9] only administrators create and revoke administrators' keys and tokens", async () => {
    const member = await signUp(admin.clientId, "member");
    for (const body of [
      { name: "a", role: "admin" },
      { name: "a", kind: "legacy" },
    ])
      expect(await codeOf(await member.call("POST", "/account/keys", body))).toEqual([403, "ADMIN_REQUIRED"]);
    expect(await codeOf(await member.call("DELETE", `/account/keys/${admin.keyId}`))).toEqual([
      403,
      "ADMIN_REQUIRED",
    ]);
    expect((await member.call("DELETE", `/account/keys/${api.account.keyId}`)).status).toBe(404);
    const owner = await signUp(admin.clientId);
    const made = await owner.ask<NewApiKey>("POST", "/account/keys", { name: "a", role: "admin" });
    expect((await api.call("/admin/clients", { key: made.secret })).status).toBe(200);
    await owner.ask("DELETE", `/account/keys/${made.id}`);
  });

  it("[PE9] a client's key creates no keys and sees no people; an administrator's does", async () => {
    for (const path of [
      "/account/keys",
      "/account/people",
      "/account/invitations",
      "/account/me",
      "/account/sessions",
    ])
      expect(await codeOf(await api.call(path)), path).toEqual([403, "PERSON_REQUIRED"]);
    expect(
      (await api.call(`/account/keys?clientId=${api.account.clientId}`, { key: admin.key })).status,
    ).toBe(200);
    expect(await codeOf(await api.call("/account/me", { key: admin.key }))).toEqual([403, "PERSON_REQUIRED"]);
  });

  it("[PE9] shows its own credits, to people and keys", async () => {
    const member = await signUp(api.account.clientId, "member");
    const administrator = await signUp(admin.clientId);
    const { balance } = await member.ask<AccountCredits>("GET", "/account/credits");
    await administrator.ask("POST", `/admin/clients/${api.account.clientId}/credits`, {
      amount: 3,
      note: "a gift",
    });
    const mine = await member.ask<AccountCredits>("GET", "/account/credits");
    expect(mine).toEqual({ balance: balance + 3, reserved: 0, available: balance + 3, metered: false });
    expect(await (await api.call("/account/credits")).json()).toEqual(mine);
    const ledger = await member.call("GET", "/account/credits/ledger?take=1");
    expect(ledger.headers.get("x-total-count")).toMatch(/^\d+$/);
  });
});

it("[PE5] expired sessions, links and invitations are swept", async () => {
  const browser = await signUp();
  const { db } = api.database;
  await browser.ask("POST", "/account/invitations", {});
  await sql`update person_sessions set last_used_at = now() - interval '15 days' where person_id = ${browser.personId}`.execute(
    db,
  );
  expect(await codeOf(await browser.call("GET", "/tasks"))).toEqual([401, "SESSION_INVALID"]);
  const other = await signUp();
  await sql`update person_sessions set created_at = now() - interval '91 days' where person_id = ${other.personId}`.execute(
    db,
  );
  expect((await other.call("GET", "/tasks")).status).toBe(401);
  await sql`update invitations set expires_at = now() - interval '1 second'`.execute(db);
  expect(await deleteExpiredEntries(db)).toBeGreaterThanOrEqual(3);
  expect(await db.selectFrom("invitations").select("id").execute()).toEqual([]);
});
