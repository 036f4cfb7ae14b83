import { ApiError } from "@stemwright/contract";
import type { FastifyRequest } from "fastify";
import type { Caller } from "../../domain/accounts/caller.ts";
import { DASHBOARD_HEADER, findSessionToken } from "./cookies.ts";

export interface SessionRing {
  /** Who a session's token belongs to; nobody when it is unknown, revoked or expired. */
  findCaller(token: string): Promise<(Caller & { isSuspended: boolean }) | undefined>;
}

/**
 * The caller behind the cookie of a request that our own page made; a cookie alone is worth nothing. On routes that are open to
 * all, one whose session is over is nobody: the page has to get as far as signing in again.
 */
export async function findSessionCaller(
  sessions: SessionRing,
  request: FastifyRequest,
): Promise<Caller | undefined> {
  const { isPublic } = request.routeOptions.config;
  const token = findSessionToken(request);
  const caller = token === undefined ? undefined : await sessions.findCaller(token);
  if (caller && !caller.isSuspended) return caller;
  if (isPublic || request.headers[DASHBOARD_HEADER] === undefined) return undefined;
  if (caller) throw new ApiError("CLIENT_SUSPENDED", "The account is suspended; ask the operator");
  throw new ApiError("SESSION_INVALID", "You are not signed in, or your session has ended; sign in again");
}
