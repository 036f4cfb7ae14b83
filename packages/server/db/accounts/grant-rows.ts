import type { ModelGrant } from "@stemwright/contract";
import type { DatabaseHandle } from "../database.ts";

export async function listGrants(db: DatabaseHandle, clientId: string): Promise<ModelGrant[]> {
  const rows = await db
    .selectFrom("model_grants")
    .selectAll()
    .where("client_id", "=", clientId)
    .orderBy("model")
    .execute();
  return rows.map((row) => ({
    model: row.model,
    ...(row.access === null ? {} : { access: row.access }),
    ...(row.credits_per_minute === null ? {} : { creditsPerMinute: row.credits_per_minute }),
  }));
}

export async function upsertGrant(db: DatabaseHandle, clientId: string, grant: ModelGrant): Promise<void> {
  const terms = { access: grant.access ?? null, credits_per_minute: grant.creditsPerMinute ?? null };
  await db
    .insertInto("model_grants")
    .values({ client_id: clientId, model: grant.model, ...terms })
    .onConflict((conflict) => conflict.columns(["client_id", "model"]).doUpdateSet(terms))
    .execute();
}

export async function deleteGrant(db: DatabaseHandle, clientId: string, model: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("model_grants")
    .where("client_id", "=", clientId)
    .where("model", "=", model)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
