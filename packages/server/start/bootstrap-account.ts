import { sql } from "kysely";
import { getFirstOwner } from "../commands/sign-in-command.ts";
import { hasClients, insertClient } from "../db/accounts/client-rows.ts";
import { findCaller, insertKey } from "../db/accounts/key-rows.ts";
import { makePeopleStore } from "../db/accounts/make-people-store.ts";
import type { Database, DatabaseHandle } from "../db/database.ts";
import { makeKey } from "../domain/accounts/key-secrets.ts";
import { makeSignInLink } from "../domain/accounts/sign-in.ts";
import { makeId } from "../domain/ids.ts";

/** What the first start makes; both are shown once. */
export type FirstAccount = { key: string; signInLink: string };

/**
 * On a first start, makes one account with an administrator's key, and an owner with a link to sign in. Called again with the same
 * `newKey`, where an answer got lost, it gives that again, with another link.
 */
export async function bootstrapAccount(
  db: Database,
  options: { bootstrapApiKey: string | undefined; baseUrl: string; newKey?: string },
): Promise<FirstAccount | undefined> {
  return await db.transaction().execute(async (transaction) => {
    // Of processes that start together, the others wait here and find the account of the first.
    await sql`select pg_advisory_xact_lock(hashtextextended('first account', 0))`.execute(transaction);
    const { bootstrapApiKey, newKey = makeKey() } = options;
    const key = bootstrapApiKey ?? newKey;
    const clientId = (await hasClients(transaction))
      ? (await findCaller(transaction, newKey))?.clientId
      : await insertFirstClient(transaction, key);
    if (clientId === undefined) return undefined;
    const owner = await getFirstOwner(transaction, clientId);
    return { key, signInLink: await makeSignInLink(makePeopleStore(transaction), owner.id, options.baseUrl) };
  });
}

async function insertFirstClient(db: DatabaseHandle, key: string): Promise<string> {
  const clientId = makeId();
  await insertClient(db, { id: clientId, name: "First account", isAdministrative: true });
  await insertKey(db, { clientId, name: "First key", role: "admin", secret: key });
  return clientId;
}
