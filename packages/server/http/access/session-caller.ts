import { ApiError } from "@stemwright/contract";
import type { FastifyRequest } from "fastify";
import type { Caller } from "../../domain/accounts/caller.ts";
import { DASHBOARD_HEADER, findSessionToken } from "./cookies.ts";

export interface SessionLookup {
  /** Whose session it is; undefined if the token is unknown, revoked or expired. */
  findCaller(token: string): Promise<(Caller & { isSuspended: boolean }) | undefined>;
}

/**
 * The caller behind a session cookie. It counts only together with the dashboard's header. On public routes an ended session is no
 * error, so that the page can load and ask to sign in again.
 */
export async function findSessionCaller(
  sessions: SessionLookup,
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
