import { sql } from "kysely";
import { getFirstOwner } from "../commands/sign-in-command.ts";
import { hasClients, insertClient } from "../db/accounts/client-rows.ts";
import { findCaller, insertKey } from "../db/accounts/key-rows.ts";
import { makePeopleStore } from "../db/accounts/make-people-store.ts";
import type { Database, DatabaseHandle } from "../db/database.ts";
import { makeKey } from "../domain/accounts/key-secrets.ts";
import { makeSignInLink } from "../domain/accounts/sign-in.ts";
import { makeId } from "../domain/ids.ts";

/** Created by the first start; both are shown once. */
export type FirstAccount = { key: string; signInLink: string };

/**
 * On the first start, creates an account with an administrator's key and an owner with a sign-in link. If it is called again with the same
 * `newKey`, because a response was lost, it returns that key again with another link.
 */
export async function bootstrapAccount(
  db: Database,
  options: { bootstrapApiKey: string | undefined; baseUrl: string; newKey?: string },
): Promise<FirstAccount | undefined> {
  return await db.transaction().execute(async (transaction) => {
    // If several processes start at once, all but one wait here and then find its account.
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
