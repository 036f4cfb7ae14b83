import { normalizeIP } from "@fastify/rate-limit";
import { ApiError } from "@stemwright/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Caller, SignedInPerson } from "../../domain/accounts/caller.ts";
import { SESSION_DAYS } from "../../domain/accounts/session-lifetime.ts";
import type { OpenedSession, Visitor } from "../../domain/accounts/sign-in.ts";
import { getCaller } from "./authenticate.ts";
import { makeCookie, SESSION_COOKIE } from "./cookies.ts";

const DAY_SECONDS = 86_400;

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

/** The cookie lives as long as a session can; whether the session still does is decided by the database. */
export function setSessionCookie(
  { request, reply, baseUrl }: { request: FastifyRequest; reply: FastifyReply; baseUrl: string },
  { token }: Pick<OpenedSession, "token">,
): void {
  const maxAgeSeconds = SESSION_DAYS * DAY_SECONDS;
  void reply.header(
    "set-cookie",
    makeCookie(request, { name: SESSION_COOKIE, value: token, maxAgeSeconds, baseUrl }),
  );
}

export function clearSessionCookie(request: FastifyRequest, reply: FastifyReply, baseUrl: string): void {
  void reply.header(
    "set-cookie",
    makeCookie(request, { name: SESSION_COOKIE, value: "", maxAgeSeconds: 0, baseUrl }),
  );
}
