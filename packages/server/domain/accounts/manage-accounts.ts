import type { ModelGrant } from "@stemwright/contract";
import {
  type ApiKey,
  type ClientRequest,
  type CreditEntry,
  type CreditGrantRequest,
  type KeyRequest,
  MAX_CREDITS,
  type ModelGrantRequest,
} from "@stemwright/contract";
import { makeCreditsError } from "../credits/credit-amounts.ts";
import { getFound, makeUnknownError } from "../get-found.ts";
import { makeId } from "../ids.ts";
import { describeUnknownModel, findCatalogueModel } from "../models/catalogue.ts";
import { type InstalledModel, isInstalled } from "../models/model-view.ts";
import { Refusal } from "../refusal.ts";
import { refuseField } from "../refuse-field.ts";
import type { AccountStore } from "./account-store.ts";
import { type Caller, toPrincipal } from "./caller.ts";
import { type ClientRecord, toCredits } from "./client-record.ts";
import { makeKey } from "./key-secrets.ts";

export async function getClient(
  accounts: Pick<AccountStore, "findClient">,
  id: string,
): Promise<ClientRecord> {
  const unknown = () => new Refusal("NOT_FOUND", "There is no client with that id");
  return await getFound(id, (known) => accounts.findClient(known), unknown);
}

export async function createClient(accounts: AccountStore, request: ClientRequest): Promise<ClientRecord> {
  const id = makeId();
  const { name, metered, ...turns } = request;
  await accounts.insertClient({ id, name, isMetered: metered });
  await accounts.changeClient(id, turns);
  return await getClient(accounts, id);
}

/** Nobody could undo what an administrator does to its own account. */
function refuseLockout(isOwn: boolean, what: string): void {
  if (isOwn) throw new Refusal("SELF_LOCKOUT", `${what}; use a key of another account for that`);
}

export async function suspendClient(
  accounts: AccountStore,
  caller: Caller,
  id: string,
): Promise<ClientRecord> {
  await getClient(accounts, id);
  refuseLockout(id === caller.clientId, "This would suspend the account of the key in use");
  await accounts.setSuspended(id, true);
  return await getClient(accounts, id);
}

export async function resumeClient(accounts: AccountStore, id: string): Promise<ClientRecord> {
  await getClient(accounts, id);
  await accounts.setSuspended(id, false);
  return await getClient(accounts, id);
}

/** The only time a key's secret is visible. */
export async function createKey(
  accounts: AccountStore,
  clientId: string,
  request: KeyRequest,
): Promise<ApiKey & { secret: string }> {
  await getClient(accounts, clientId);
  const secret = makeKey();
  return { ...(await accounts.insertKey(clientId, { ...request, secret })), secret };
}

export async function revokeKey(accounts: AccountStore, caller: Caller, id: string): Promise<ApiKey> {
  const unknown = () => new Refusal("NOT_FOUND", "There is no key with that id");
  const key = await getFound(id, (known) => accounts.findKey(known), unknown);
  refuseLockout(id === caller.keyId, "This would revoke the key in use");
  await accounts.revokeKey(id);
  return (await accounts.findKey(id)) ?? key;
}

const refuseUnlessAdmin = (caller: Caller, what: string) => {
  if (caller.role !== "admin") throw new Refusal("ADMIN_REQUIRED", `${what} are for administrators`);
};

/** Whether the caller may create such a key for its own account. */
export function checkKeyRequest(caller: Caller, { role, kind }: KeyRequest): void {
  if (role === "admin") refuseUnlessAdmin(caller, "Keys of the role admin");
  if (kind === "legacy") refuseUnlessAdmin(caller, "Tokens of the Jobs interface");
}

export async function revokeOwnKey(accounts: AccountStore, caller: Caller, id: string): Promise<ApiKey> {
  const findOwn = async (known: string) => {
    const key = await accounts.findKey(known);
    return key?.clientId === caller.clientId ? key : undefined;
  };
  const key = await getFound(id, findOwn, makeUnknownError("key"));
  if (key.role === "admin") refuseUnlessAdmin(caller, "Keys of the role admin");
  return await revokeKey(accounts, caller, id);
}

export async function setGrant(
  accounts: AccountStore,
  options: {
    clientId: string;
    model: string;
    terms: ModelGrantRequest;
    installed: readonly InstalledModel[];
  },
): Promise<ModelGrant> {
  await getClient(accounts, options.clientId);
  const model = findCatalogueModel(options.model);
  if (!model) throw new Refusal("MODEL_UNKNOWN", describeUnknownModel(options.model));
  if (
    options.terms.access === "enabled" &&
    !isInstalled({ model, variant: undefined, installed: options.installed })
  )
    throw new Refusal(
      "MODEL_NOT_INSTALLED",
      `${model.id} has no network in this installation, so no grant can open it; a rate can be set without access`,
    );
  const grant = { model: options.model, ...options.terms };
  await accounts.upsertGrant(options.clientId, grant);
  return grant;
}

export async function grantCredits(
  accounts: AccountStore,
  caller: Caller,
  clientId: string,
  request: CreditGrantRequest,
): Promise<CreditEntry> {
  const client = await getClient(accounts, clientId);
  const entry = await accounts.grantCredits(clientId, {
    ...request,
    keyId: toPrincipal(caller),
  });
  if (entry) return entry;
  if (request.amount < 0) throw makeCreditsError(-request.amount, toCredits(client).available);
  const message = `an account can hold ${MAX_CREDITS} credits; this one has ${client.balance}`;
  return refuseField("REQUEST_INVALID", { path: "amount", message }, `amount: ${message}`);
}
