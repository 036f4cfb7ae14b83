import type { PageQuery } from "@stemwright/contract";
import type { Listed } from "../../domain/ports.ts";
import { Refusal } from "../../domain/refusal.ts";
import type {
  StorageIntegrationRecord,
  StorageScope,
} from "../../domain/storage/storage-integration-record.ts";
import type { DatabaseHandle, Tables } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import { listPage } from "../list-page.ts";

const toRecord = (row: Tables["storage_integrations"]): StorageIntegrationRecord => ({
  id: row.id,
  clientId: row.client_id,
  type: row.type,
  storageName: row.storage_name,
  authConfig: row.auth_config,
  sealedSecrets: row.sealed_secrets,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** False if the client does not exist. */
export async function insertIntegration(
  db: DatabaseHandle,
  integration: StorageIntegrationRecord,
): Promise<boolean> {
  const client = await db
    .selectFrom("clients")
    .select("id")
    .where("id", "=", integration.clientId)
    .executeTakeFirst();
  if (!client) return false;
  await db
    .insertInto("storage_integrations")
    .values({
      id: integration.id,
      client_id: integration.clientId,
      type: integration.type,
      storage_name: integration.storageName,
      auth_config: integration.authConfig,
      sealed_secrets: integration.sealedSecrets,
      created_at: integration.createdAt,
      updated_at: integration.updatedAt,
    })
    .execute();
  return true;
}

export async function findIntegration(
  db: DatabaseHandle,
  scope: StorageScope,
  id: string,
): Promise<StorageIntegrationRecord | undefined> {
  let query = db.selectFrom("storage_integrations").selectAll().where("id", "=", id);
  if (scope.clientId !== undefined) query = query.where("client_id", "=", scope.clientId);
  const row = await query.executeTakeFirst();
  return row && toRecord(row);
}

export async function listIntegrations(
  db: DatabaseHandle,
  scope: StorageScope,
  page: PageQuery,
): Promise<Listed<StorageIntegrationRecord>> {
  let query = db.selectFrom("storage_integrations");
  if (scope.clientId !== undefined) query = query.where("client_id", "=", scope.clientId);
  const { total } = await query
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return await listPage(total, page, async () => {
    const rows = await query
      .selectAll()
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .offset(page.skip)
      .limit(page.take)
      .execute();
    return rows.map(toRecord);
  });
}

/** Keeps an integration from being deleted while the transaction writes a Task that uses it. */
export async function holdIntegration(db: DatabaseHandle, id: string): Promise<void> {
  const row = await db
    .selectFrom("storage_integrations")
    .select("id")
    .where("id", "=", id)
    .forShare()
    .executeTakeFirst();
  if (!row) throw new Refusal("STORAGE_INTEGRATION_UNKNOWN", "The storage integration was just deleted");
}

/** Locks the row first, so that no Task can start using it between the check and the delete. */
export const deleteIntegration = (db: DatabaseHandle, scope: StorageScope, id: string) =>
  inTransaction(db, (transaction) => deleteUnused(transaction, scope, id));

async function deleteUnused(
  db: DatabaseHandle,
  scope: StorageScope,
  id: string,
): Promise<StorageIntegrationRecord | "in-use" | undefined> {
  const integration = await findIntegration(db, scope, id);
  if (!integration) return undefined;
  await db.selectFrom("storage_integrations").select("id").where("id", "=", id).forUpdate().execute();
  const user = await db
    .selectFrom("tasks")
    .select("id")
    .where("storage_integration_id", "=", id)
    .where("completed_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  if (user) return "in-use";
  await db.deleteFrom("storage_integrations").where("id", "=", id).execute();
  return integration;
}
