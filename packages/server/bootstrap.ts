import { sql } from "kysely";
import { hasClients, insertClient } from "./db/clients.ts";
import type { Database } from "./db/database.ts";
import { insertKey } from "./db/keys.ts";
import { makeId } from "./domain/ids.ts";
import { makeKey } from "./domain/keys.ts";

/** On a first start, makes one account with an administrator's key; gives the key, which is shown once. */
export async function bootstrapAccount(
  db: Database,
  bootstrapApiKey: string | undefined,
): Promise<string | undefined> {
  return await db.transaction().execute(async (transaction) => {
    // Of processes that start together, the others wait here and find the account of the first.
    await sql`select pg_advisory_xact_lock(hashtextextended('first account', 0))`.execute(transaction);
    if (await hasClients(transaction)) return undefined;
    const secret = bootstrapApiKey ?? makeKey();
    const clientId = makeId();
    await insertClient(transaction, { id: clientId, name: "First account" });
    await insertKey(transaction, { clientId, name: "First key", role: "admin", secret });
    return secret;
  });
}
