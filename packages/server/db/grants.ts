import type { ModelGrant } from "../domain/models/model-view.ts";
import type { DatabaseHandle } from "./database.ts";

export async function listGrants(db: DatabaseHandle, clientId: string): Promise<ModelGrant[]> {
  const rows = await db.selectFrom("model_grants").selectAll().where("client_id", "=", clientId).execute();
  return rows.map((row) => ({
    model: row.model,
    ...(row.access === null ? {} : { access: row.access }),
    ...(row.credits_per_minute === null ? {} : { creditsPerMinute: row.credits_per_minute }),
  }));
}
