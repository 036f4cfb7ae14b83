import type { PersonRole } from "@stemwright/contract";
import { makePeopleStore } from "../../packages/server/db/accounts/make-people-store.ts";
import { insertPerson } from "../../packages/server/db/accounts/person-rows.ts";
import { makeSignInLink } from "../../packages/server/domain/accounts/sign-in.ts";
import type { TestApi } from "./test-api.ts";

/** A browser with the dashboard: stores our cookies, and sends them like the page does. */
export type TestBrowser = {
  /** As set by the server, until it is deleted. */
  cookie: string | undefined;
  /** The last `Set-Cookie` header. */
  lastSetCookie: string | undefined;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The response of a request that must succeed. */
  ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
};

export function openBrowser(api: Pick<TestApi, "call">): TestBrowser {
  /** Those beside the session's, by name. */
  const others = new Map<string, string>();
  const listCookies = () => [browser.cookie, ...others.values()].filter(Boolean).join("; ");
  const browser: TestBrowser = {
    cookie: undefined,
    lastSetCookie: undefined,
    async call(method, path, body, headers = {}) {
      const response = await api.call(path, {
        method,
        key: null,
        redirect: "manual",
        headers: {
          "x-stemwright-dashboard": "1",
          ...(listCookies() === "" ? {} : { cookie: listCookies() }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [cookie = ""] = line.split(";");
        if (cookie.startsWith("stemwright_browser")) others.set(cookie.split("=")[0] ?? "", cookie);
        if (!cookie.startsWith("stemwright_session")) continue;
        browser.lastSetCookie = line;
        browser.cookie = line.includes("Max-Age=0") ? undefined : cookie;
      }
      return response;
    },
    async ask<Answer>(method: string, path: string, body?: unknown) {
      const response = await browser.call(method, path, body);
      if (response.status !== 200) throw new Error(`${method} ${path}: ${await response.text()}`);
      return (await response.json()) as Answer;
    },
  };
  return browser;
}

/** A one-time link for a new person of a client. */
export async function addPerson(
  api: Pick<TestApi, "database">,
  person: { clientId: string; role?: PersonRole; email?: string | null },
): Promise<{ id: string; token: string }> {
  const { db } = api.database;
  const { clientId, role = "owner", email = null } = person;
  const inserted = await insertPerson(db, { clientId, role, email, name: "Ada" });
  if (!inserted) throw new Error("the email address is taken");
  const link = await makeSignInLink(makePeopleStore(db), inserted.id, "http://here");
  return { id: inserted.id, token: link.split("#")[1] ?? "" };
}

/** A browser in which a new person of a client is signed in through a link. */
export async function signIn(
  api: TestApi,
  person: Parameters<typeof addPerson>[1],
): Promise<TestBrowser & { personId: string }> {
  const { id, token } = await addPerson(api, person);
  const browser = openBrowser(api);
  await browser.ask("POST", "/account/sign-in/link", { token });
  return Object.assign(browser, { personId: id });
}
