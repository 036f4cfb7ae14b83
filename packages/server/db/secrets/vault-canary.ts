import { sql } from "kysely";
import type { Vault } from "../../domain/vault.ts";
import type { DatabaseHandle } from "../database.ts";
import { loadSecret } from "./load-secret.ts";

const NAME = "vault canary";

/**
 * Whether this process has the key that the database's secrets are encrypted with. The first process to ask stores a canary for all others, if it can
 * decrypt the existing secrets.
 */
export async function hasVaultKey(db: DatabaseHandle, vault: Vault): Promise<boolean> {
  const { rows } = await sql<{ value: Buffer }>`
    select value from installation_secrets where name = ${NAME}
    union all (select secret from webhook_secrets limit 1)
    union all (select sealed_secrets from storage_integrations limit 1)`.execute(db);
  for (const { value } of rows) if (!(await vault.isOurs(value))) return false;
  // If several processes start together, the first one's canary counts.
  return await vault.isOurs(await loadSecret(db, NAME, () => vault.seal(NAME, NAME)));
}
