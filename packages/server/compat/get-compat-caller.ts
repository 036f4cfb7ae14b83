import { ApiError } from "@stemwright/contract";
import type { FastifyRequest } from "fastify";
import type { Caller } from "../domain/accounts/caller.ts";
import { findActiveCaller, findKeyCaller, type KeyLookup } from "../http/access/authenticate.ts";

/** The key in `Authorization`: as a bearer token, or as the password of Basic, which programs derive from a URL with a login. */
function findSecret(authorization: string): string | undefined {
  const [, scheme = "", value = ""] = /^(Bearer|Basic) +(\S+) *$/i.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== "basic") return value || undefined;
  const login = Buffer.from(value, "base64").toString();
  return login.slice(login.indexOf(":") + 1) || undefined;
}

/** The account behind an ordinary key, in whichever header the other service's client can send it. Legacy tokens are rejected. */
export async function getCompatCaller(keys: KeyLookup, request: FastifyRequest): Promise<Caller> {
  const secret = findSecret(request.headers.authorization ?? "");
  const holder = secret === undefined ? undefined : await findActiveCaller(keys, secret);
  if (holder?.kind === "key") return holder;
  const caller = await findKeyCaller(keys, request);
  if (caller) return caller;
  if (secret === undefined)
    throw new ApiError(
      "KEY_MISSING",
      "Send your API key in the header Authorization: Bearer <KEY>, or x-api-key",
    );
  throw new ApiError("KEY_INVALID", "The API key is unknown or revoked; check the Authorization header");
}
