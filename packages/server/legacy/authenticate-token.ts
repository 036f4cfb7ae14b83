import { ApiError } from "@stemwright/contract";
import type { FastifyRequest } from "fastify";
import type { Caller } from "../domain/caller.ts";
import { findActiveCaller, type KeyRing } from "../http/authenticate.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The legacy route also takes an API key. */
    takesApiKey?: boolean;
  }
}

/** The account behind `Authorization: Bearer <token>`; a token is a key of the kind `legacy`, and no other will do. */
export async function getLegacyCaller(keys: KeyRing, request: FastifyRequest): Promise<Caller> {
  if (request.routeOptions.config.takesApiKey && request.caller) return request.caller;
  const token = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  if (token === undefined)
    throw new ApiError("KEY_MISSING", "Send your token in the header Authorization: Bearer <TOKEN>");
  const caller = await findActiveCaller(keys, token);
  if (caller?.kind !== "legacy")
    throw new ApiError(
      "KEY_INVALID",
      "The token is unknown or revoked; ask the operator for one of the kind legacy",
    );
  return caller;
}
