import { type RawBuilder, sql, type Transaction } from "kysely";
import { toAssetFolder } from "../../domain/assets/store-upload.ts";
import { toOutputFolder } from "../../domain/tasks/output-names.ts";
import { deleteAsset } from "../assets/asset-rows.ts";
import type { Tables } from "../database.ts";
import { deletePreviews } from "../previews/preview-rows.ts";
import { deleteTask } from "../tasks/task-rows.ts";
import { disownFiles } from "./unclaimed-file-rows.ts";

type Batch = {
  /** Older ones are removed. */
  before: Date;
  limit: number;
};

/** Read by unfinished Tasks through one of our download links, or as outputs that became inputs. */
const isLent = (table: "assets" | "tasks") =>
  sql`exists (select from task_sources where stored_id = ${sql.ref(`${table}.id`)})`;

/** Inputs that unfinished Tasks still need. */
const IS_NEEDED: RawBuilder<boolean> = sql`(
  exists (select from tasks where completed_at is null and asset_id = assets.id)
  or exists (
    select from targets
    where status = 'processing' and options ? 'transcriptAssetId' and options ->> 'transcriptAssetId' = assets.id)
  or ${isLent("assets")})`;

/**
 * Removes a batch of old assets; returns how many. Their files become unclaimed. Rows are locked first and checked afterwards: whoever creates a Task locks
 * its asset (holdInputs), so a Task is either seen by the second statement or finds its asset gone. Rows locked by another process are skipped.
 */
export async function sweepAssets(db: Transaction<Tables>, batch: Batch): Promise<number> {
  const locked = await sql<{ id: string }>`
    select id from assets where created_at < ${batch.before} and not ${IS_NEEDED}
    order by created_at limit ${batch.limit} for update skip locked`.execute(db);
  const ids = locked.rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  const { rows } = await sql<{ id: string }>`
    delete from assets where id = any(${ids}) and not ${IS_NEEDED} returning id`.execute(db);
  await disownFiles(db, { keyPrefixes: rows.map(({ id }) => toAssetFolder(id)) });
  return rows.length;
}

/**
 * Removes the outputs of a batch of Tasks that finished long ago; returns how many Tasks. Their files become unclaimed; the Tasks are marked, so that the
 * next sweep skips them. Locked first and checked afterwards, like assets.
 */
export async function sweepOutputs(db: Transaction<Tables>, batch: Batch): Promise<number> {
  const locked = await sql<{ id: string }>`
    select id from tasks
    where completed_at < ${batch.before} and outputs_removed_at is null and write_destination is null and not ${isLent("tasks")}
    order by completed_at limit ${batch.limit} for update skip locked`.execute(db);
  const lockedIds = locked.rows.map(({ id }) => id);
  if (lockedIds.length === 0) return 0;
  const { rows } = await sql<{ id: string }>`
    update tasks set outputs_removed_at = now() where id = any(${lockedIds}) and not ${isLent("tasks")}
    returning id`.execute(db);
  const ids = rows.map(({ id }) => id);
  await sql`
    delete from outputs using targets where targets.id = outputs.target_id and targets.task_id = any(${ids})`.execute(
    db,
  );
  await deletePreviews(db, ids);
  await disownFiles(db, { keyPrefixes: ids.map(toOutputFolder) });
  return ids.length;
}

/** The Task's end is still to be delivered. */
const IS_OWED = sql`exists (select from deliveries where task_id = tasks.id and state = 'pending')`;

/**
 * Deletes a batch of Tasks that finished long ago, with everything that belongs to them; returns how many. Statistics, totals and the ledger are in other
 * tables. Remaining files become unclaimed. Locked first and checked afterwards, like assets.
 */
export async function sweepTasks(db: Transaction<Tables>, batch: Batch): Promise<number> {
  const locked = await sql<{ id: string }>`
    select id from tasks
    where completed_at < ${batch.before} and not ${isLent("tasks")} and not ${IS_OWED}
    order by completed_at limit ${batch.limit} for update skip locked`.execute(db);
  const lockedIds = locked.rows.map(({ id }) => id);
  if (lockedIds.length === 0) return 0;
  const { rows } = await sql<{ id: string; has_files: boolean }>`
    delete from tasks where id = any(${lockedIds}) and not ${isLent("tasks")} and not ${IS_OWED}
    returning id, outputs_removed_at is null and write_destination is null as has_files`.execute(db);
  const keyPrefixes = rows.filter(({ has_files }) => has_files).map(({ id }) => toOutputFolder(id));
  await disownFiles(db, { keyPrefixes });
  return rows.length;
}

/** Deletes a batch of temporary Tasks and their assets whose requests ended long ago, left by a killed process. Returns how many. */
export async function sweepTemporaryTasks(db: Transaction<Tables>, batch: Batch): Promise<number> {
  const { rows } = await sql<Pick<Tables["tasks"], "id" | "client_id" | "asset_id" | "completed_at">>`
    select id, client_id, asset_id, completed_at from tasks
    where is_temporary and created_at < ${batch.before}
    order by created_at limit ${batch.limit} for update skip locked`.execute(db);
  for (const { id, client_id, asset_id, completed_at } of rows) {
    await deleteTask(db, client_id, id);
    await disownFiles(db, { keyPrefixes: [toOutputFolder(id)], isWrittenTo: completed_at === null });
    if (asset_id !== null && (await deleteAsset(db, client_id, asset_id)))
      await disownFiles(db, { keyPrefixes: [toAssetFolder(asset_id)] });
  }
  return rows.length;
}
