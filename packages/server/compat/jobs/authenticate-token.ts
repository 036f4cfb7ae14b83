import { ApiError } from "@stemwright/contract";
import type { FastifyRequest } from "fastify";
import type { Caller } from "../../domain/accounts/caller.ts";
import { findActiveCaller, findKeyCaller, type KeyLookup } from "../../http/access/authenticate.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The legacy route also takes an API key in its own header. */
    takesApiKey?: boolean;
  }
}

/**
 * The account behind `Authorization: Bearer <token>`: a key of the kind `legacy`, or an ordinary one. If the route takes both headers, one valid credential
 * is enough.
 */
export async function getLegacyCaller(keys: KeyLookup, request: FastifyRequest): Promise<Caller> {
  const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  const bearer = token === undefined ? undefined : await findActiveCaller(keys, token);
  const caller = bearer ?? (request.routeOptions.config.takesApiKey && (await findKeyCaller(keys, request)));
  if (caller) return caller;
  if (token === undefined)
    throw new ApiError("KEY_MISSING", "Send your token in the header Authorization: Bearer <TOKEN>");
  throw new ApiError("KEY_INVALID", "The token is unknown or revoked; check the Authorization header");
}
