import { createHash } from "node:crypto";
import { normalizeIP } from "@fastify/rate-limit";
import { ApiError } from "@stemwright/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller, SignedInPerson } from "../../domain/accounts/caller.ts";
import { makeBrowserToken } from "../../domain/accounts/known-browser.ts";
import type { PeopleStore } from "../../domain/accounts/people-store.ts";
import { SESSION_DAYS } from "../../domain/accounts/session-lifetime.ts";
import type { OpenedSession, Visitor } from "../../domain/accounts/sign-in.ts";
import type { Vault } from "../../domain/vault.ts";
import { getCaller } from "./authenticate.ts";
import { findCookie, makeCookie, SESSION_COOKIE } from "./cookies.ts";
import type { SessionLookup } from "./session-caller.ts";

const DAY_SECONDS = 86_400;
/** As long as browsers keep a cookie. */
const BROWSER_DAYS = 400;
const SIGN_IN_PATH = "/account/sign-in";

type CookiePorts = { request: FastifyRequest; reply: FastifyReply; baseUrl: string; vault: Vault };

/** Where a request comes from. A whole IPv6 network counts as one address. */
export const toVisitor = ({ ip, headers }: FastifyRequest): Visitor => ({
  address: normalizeIP(ip ?? ""),
  agent: headers["user-agent"] ?? "",
});

/** The signed-in person; requests with a key are rejected. */
export function getPerson(request: FastifyRequest): SignedInPerson {
  const { person } = getCaller(request);
  if (!person) throw new ApiError("PERSON_REQUIRED", "This is for people who are signed in at the dashboard");
  return person;
}

/** Who may manage an account's people and keys: a signed-in person, or an administrator's key. */
export function getManager(request: FastifyRequest): Caller {
  const caller = getCaller(request);
  if (!caller.person && caller.role !== "admin")
    throw new ApiError(
      "PERSON_REQUIRED",
      "This is for people who are signed in at the dashboard, and for keys of the role admin",
    );
  return caller;
}

/** Revokes the browser's session, so that its token is useless even to somebody who has a copy. */
export async function endSession(
  { people, sessions }: { people: Pick<PeopleStore, "deleteSession">; sessions: SessionLookup },
  request: FastifyRequest,
): Promise<void> {
  const token = findCookie(request, SESSION_COOKIE);
  const person = token === undefined ? undefined : (await sessions.findCaller(token))?.person;
  if (person) await people.deleteSession(person.id, person.sessionId);
}

/** A separate name for each person, so that people who share a browser keep their allowances. */
const toBrowserCookie = (personId: string) =>
  `stemwright_browser_${createHash("sha256").update(personId).digest("hex").slice(0, 8)}`;

/** What the browser was given when that person signed in here before. */
export const findBrowserToken = (request: FastifyRequest, personId: string) =>
  findCookie(request, toBrowserCookie(personId));

/**
 * The session's cookie lives as long as a session can; whether the session still does is decided by the database. A second cookie outlives it: it signs nobody
 * in, but attempts at this person's password from here are counted separately.
 */
export async function setSignedInCookies(
  { request, reply, baseUrl, vault }: CookiePorts,
  { token, person, session: { method } }: OpenedSession,
): Promise<void> {
  const session = { name: SESSION_COOKIE, value: token, maxAgeSeconds: SESSION_DAYS * DAY_SECONDS, baseUrl };
  void reply.header("set-cookie", makeCookie(request, session));
  // A provider may sign somebody in any number of times, and each would be an allowance.
  if (person.passwordHash === null || method === "oidc") return;
  const browser = {
    name: toBrowserCookie(person.id),
    value: await makeBrowserToken(vault, person),
    maxAgeSeconds: BROWSER_DAYS * DAY_SECONDS,
    baseUrl,
    path: SIGN_IN_PATH,
  };
  void reply.header("set-cookie", makeCookie(request, browser));
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply, baseUrl: string): void {
  void reply.header(
    "set-cookie",
    makeCookie(request, { name: SESSION_COOKIE, value: "", maxAgeSeconds: 0, baseUrl }),
  );
}
