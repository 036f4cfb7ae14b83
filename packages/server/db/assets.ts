import type { Page } from "@stemwright/contract";
import type { AssetRecord, MediaFacts } from "../domain/assets/asset-record.ts";
import type { Listed } from "../domain/ports.ts";
import type { DatabaseHandle, Tables } from "./database.ts";

export const toAssetRecord = (row: Tables["assets"]): AssetRecord => ({
  id: row.id,
  clientId: row.client_id,
  name: row.name,
  format: row.format,
  sizeBytes: row.size_bytes,
  blobKey: row.blob_key,
  createdAt: row.created_at,
  ...(row.media === null ? {} : { media: row.media }),
});

export async function insertAsset(db: DatabaseHandle, asset: AssetRecord): Promise<void> {
  await db
    .insertInto("assets")
    .values({
      id: asset.id,
      client_id: asset.clientId,
      name: asset.name,
      format: asset.format,
      size_bytes: asset.sizeBytes,
      blob_key: asset.blobKey,
      media: asset.media ?? null,
      created_at: asset.createdAt,
    })
    .execute();
}

export async function findAsset(
  db: DatabaseHandle,
  clientId: string,
  id: string,
): Promise<AssetRecord | undefined> {
  const row = await db
    .selectFrom("assets")
    .selectAll()
    .where("id", "=", id)
    .where("client_id", "=", clientId)
    .executeTakeFirst();
  return row && toAssetRecord(row);
}

export async function listAssets(
  db: DatabaseHandle,
  clientId: string,
  page: Page,
): Promise<Listed<AssetRecord>> {
  const rows = await db
    .selectFrom("assets")
    .selectAll()
    .where("client_id", "=", clientId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .offset(page.skip)
    .limit(page.take)
    .execute();
  const { total } = await db
    .selectFrom("assets")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("client_id", "=", clientId)
    .executeTakeFirstOrThrow();
  return { items: rows.map(toAssetRecord), total };
}

export async function setMediaFacts(db: DatabaseHandle, id: string, facts: MediaFacts): Promise<void> {
  await db.updateTable("assets").set({ media: facts }).where("id", "=", id).execute();
}

export async function deleteAsset(
  db: DatabaseHandle,
  clientId: string,
  id: string,
): Promise<AssetRecord | undefined> {
  const row = await db
    .deleteFrom("assets")
    .where("id", "=", id)
    .where("client_id", "=", clientId)
    .returningAll()
    .executeTakeFirst();
  return row && toAssetRecord(row);
}
