import type { AssetListQuery } from "@stemwright/contract";
import { sql } from "kysely";
import type { AssetRecord, MediaFacts } from "../../domain/assets/asset-record.ts";
import type { Listed } from "../../domain/ports.ts";
import { Refusal } from "../../domain/refusal.ts";
import { isCustomerBlobKey } from "../../domain/storage/customer-object.ts";
import type { NewTask } from "../../domain/tasks/task-record.ts";
import type { DatabaseHandle, Tables } from "../database.ts";
import { listPage, MAX_FILTERED } from "../list-page.ts";
import { countRows } from "../row-counts.ts";

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

/** By the file alone: whoever has its link needs no account. */
export async function findAssetName(db: DatabaseHandle, blobKey: string): Promise<string | undefined> {
  const [, id = ""] = blobKey.split("/");
  const row = await db
    .selectFrom("assets")
    .select("name")
    .where("id", "=", id)
    .where("blob_key", "=", blobKey)
    .executeTakeFirst();
  return row?.name;
}

export async function listAssets(
  db: DatabaseHandle,
  clientId: string,
  { search = "", ...page }: AssetListQuery,
): Promise<Listed<AssetRecord>> {
  if (search !== "") return await findMatchingAssets(db, clientId, { ...page, search });
  const total = await countRows(db, { clientId, noun: "assets" });
  return await listPage(total, page, async () => {
    const rows = await db
      .selectFrom("assets")
      .selectAll()
      .where("client_id", "=", clientId)
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .offset(page.skip)
      .limit(page.take)
      .execute();
    return rows.map(toAssetRecord);
  });
}

async function findMatchingAssets(
  db: DatabaseHandle,
  clientId: string,
  { skip, take, search }: Required<AssetListQuery>,
): Promise<Listed<AssetRecord>> {
  const { rows } = await sql<{ id: string }>`
    select id
    from (
      select id, name, created_at from assets
      where client_id = ${clientId} order by created_at desc, id desc limit ${MAX_FILTERED}
    ) newest
    where position(lower(${search}) in lower(name)) > 0 or position(lower(${search}) in id) > 0
    order by created_at desc, id desc`.execute(db);
  const found = await db
    .selectFrom("assets")
    .selectAll()
    .where("id", "=", sql<string>`any(${rows.slice(skip, skip + take).map(({ id }) => id)})`)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
  return { items: found.map(toAssetRecord), total: rows.length };
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

/**
 * Protects a new Task's inputs from the sweeper until the transaction ends; after that the sweeper sees the Task. A missing transcript is reported by
 * the worker.
 */
export async function holdInputs(db: DatabaseHandle, task: NewTask): Promise<void> {
  const { assetId, sources = [] } = task;
  const transcriptIds = task.targets.flatMap(({ transcriptAssetId }) => transcriptAssetId ?? []);
  const storedKeys = sources.flatMap(({ blobKey }) => blobKey ?? []);
  const assetIds = [...transcriptIds, ...listOwners(storedKeys, "assets"), ...(assetId ? [assetId] : [])];
  const heldAssets = await sql<{ id: string }>`
    select id from assets where id = any(${assetIds}) order by id for key share`.execute(db);
  const heldTasks = await sql<{ id: string }>`
    select id from tasks where id = any(${listOwners(storedKeys, "outputs")}) and outputs_removed_at is null
    order by id for key share`.execute(db);
  const inputKey = sources.find(({ targetId }) => targetId === undefined)?.blobKey;
  const [ownerId = assetId] = inputKey === undefined ? [] : listOwners([inputKey], "outputs");
  const isHeld = [...heldAssets.rows, ...heldTasks.rows].some(({ id }) => id === ownerId);
  if (assetId !== undefined && !isHeld && !isCustomerBlobKey(inputKey ?? ""))
    throw new Refusal("ASSET_UNKNOWN", "The asset was removed just now; upload it again");
}

/** The assets, or the Tasks with outputs, that stored files belong to. */
function listOwners(blobKeys: readonly string[], folder: "assets" | "outputs"): string[] {
  return blobKeys.flatMap((key) => (key.startsWith(`${folder}/`) ? (key.split("/")[1] ?? []) : []));
}
