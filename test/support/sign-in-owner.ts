import { setTimeout as wait } from "node:timers/promises";
import type { BrowserContext } from "playwright-core";
import type { Service } from "./service.ts";

/** Credentials of the first account's owner, once `signInOwner` has been called. */
export const OWNER = { name: "Ada", email: "ada@example.com", password: "a password of the tests" };

type SignedIn = Pick<Service, "address" | "output">;
const cookies = new WeakMap<SignedIn, Promise<string>>();

/** The session cookie set by a request. */
export async function callForCookie(service: SignedIn, path: string, init: RequestInit): Promise<string> {
  const response = await fetch(service.address + path, {
    ...init,
    headers: { "content-type": "application/json", "x-stemwright-dashboard": "1", ...init.headers },
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

/** The sign-in link that the first start prints, a few lines below its address. */
export async function readSignInLink(service: SignedIn): Promise<string> {
  for (;;) {
    const link = /http\S+\/app\/sign-in#[\w-]{43}/.exec(service.output())?.[0];
    if (link !== undefined) return link;
    await wait(20);
  }
}

/** Uses the first start's link and sets a password. */
async function useLink(service: SignedIn): Promise<string> {
  const [, token] = (await readSignInLink(service)).split("#");
  const cookie = await callForCookie(service, "/account/sign-in/link", {
    method: "POST",
    body: JSON.stringify({ token }),
  });
  return await callForCookie(service, "/account/me", {
    method: "PATCH",
    headers: { cookie },
    body: JSON.stringify(OWNER),
  });
}

/** The session of the first account's owner, who is an administrator. */
export function getOwnerCookie(service: SignedIn): Promise<string> {
  const cookie = cookies.get(service) ?? useLink(service);
  cookies.set(service, cookie);
  return cookie;
}

/**
 * Signs the first account's owner, who is an administrator, in to a browser context; any number of contexts share the session.
 *
 * @example
 * const { page, context } = await openPage(browser, { baseURL: service.address });
 * await signInOwner(context, service);
 * await page.goto("/app/tasks");
 */
export async function signInOwner(context: BrowserContext, service: SignedIn): Promise<void> {
  const [name = "", value = ""] = (await getOwnerCookie(service)).split("=");
  await context.addCookies([{ name, value, url: service.address, httpOnly: true, sameSite: "Lax" }]);
}
