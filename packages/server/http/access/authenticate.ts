import { ApiError, type KeyKind } from "@stemwright/contract";
import type { FastifyRequest } from "fastify";
import type { AccountStore } from "../../domain/accounts/account-store.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import { getClient } from "../../domain/accounts/manage-accounts.ts";

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

/** A caller, with what must be checked before the key is accepted. */
export type KeyHolder = Caller & { kind: KeyKind; isSuspended: boolean };

export interface KeyLookup {
  findCaller(secret: string): Promise<KeyHolder | undefined>;
  /** The callers behind those of the keys and sessions that are neither revoked nor of a suspended client, as they are now. */
  listActiveCallers(keyIds: readonly string[]): Promise<Pick<Caller, "keyId" | "clientId" | "role">[]>;
}

/** The caller behind the key; undefined if the request has none. A wrong key is rejected even on public routes. */
export async function findKeyCaller(keys: KeyLookup, request: FastifyRequest): Promise<Caller | undefined> {
  const secret = request.headers["x-api-key"];
  if (secret === undefined || secret === "") return undefined;
  const caller = typeof secret === "string" ? await findActiveCaller(keys, secret) : undefined;
  if (caller?.kind === "legacy")
    throw new ApiError(
      "KEY_INVALID",
      "This is a token of the Jobs interface; send it as Authorization: Bearer, or use an API key here",
    );
  if (caller === undefined)
    throw new ApiError("KEY_INVALID", "The API key is unknown or revoked; check the x-api-key header");
  return caller;
}

/** The caller behind a key or token of either kind. */
export async function findActiveCaller(keys: KeyLookup, secret: string): Promise<KeyHolder | undefined> {
  const caller = await keys.findCaller(secret);
  if (caller?.isSuspended)
    throw new ApiError("CLIENT_SUSPENDED", "The account is suspended; ask the operator");
  return caller;
}

/** The caller of a route that needs a key. */
export function getCaller(request: FastifyRequest): Caller {
  if (!request.caller) throw new ApiError("KEY_MISSING", "Send your API key in the x-api-key header");
  return request.caller;
}

export function checkAdmin(request: FastifyRequest): void {
  if (getCaller(request).role !== "admin")
    throw new ApiError("ADMIN_REQUIRED", "This is for keys of the role admin");
}

/** The client a request is for: the key's own, or the one that an administrator names with `?clientId=`. */
export async function toActingCaller(
  accounts: Pick<AccountStore, "findClient">,
  caller: Caller,
  query: unknown,
): Promise<Caller> {
  const { clientId } = query as { clientId?: unknown };
  // Anything but a string is left for the route's schema to reject.
  if (typeof clientId !== "string" || clientId === caller.clientId) return caller;
  if (caller.role !== "admin")
    throw new ApiError(
      "ADMIN_REQUIRED",
      "Only administrators may act for another client; leave clientId out",
    );
  return { ...caller, clientId: (await getClient(accounts, clientId)).id };
}
