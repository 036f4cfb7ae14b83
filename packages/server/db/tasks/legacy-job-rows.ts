import type { LegacyUsage, PageQuery } from "@stemwright/contract";
import { sql } from "kysely";
import type { AssetRecord } from "../../domain/assets/asset-record.ts";
import { findOutputPlace } from "../../domain/assets/output-asset-id.ts";
import type { Listed } from "../../domain/ports.ts";
import type { LegacyJobRecord } from "../../domain/tasks/legacy-job-record.ts";
import type { LegacyJobPart } from "../../domain/tasks/task-record.ts";
import { toAssetRecord } from "../assets/asset-rows.ts";
import { findOutputAsset } from "../assets/output-asset-rows.ts";
import type { DatabaseHandle } from "../database.ts";
import { listPage } from "../list-page.ts";
import { TARGETS_OF_TASK, type TaskRow, toTaskRecords } from "./task-rows.ts";

export async function findLegacyJob(
  db: DatabaseHandle,
  id: string,
  clientId?: string,
): Promise<LegacyJobRecord | undefined> {
  let query = selectJobs(db).where("tasks.id", "=", id);
  if (clientId !== undefined) query = query.where("tasks.client_id", "=", clientId);
  return (await toRecords(db, await query.execute()))[0];
}

export async function listLegacyJobs(
  db: DatabaseHandle,
  clientId: string,
  page: PageQuery,
): Promise<Listed<LegacyJobRecord>> {
  const { total } = await db
    .selectFrom("legacy_jobs")
    .innerJoin("tasks", "tasks.id", "legacy_jobs.task_id")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("tasks.client_id", "=", clientId)
    .executeTakeFirstOrThrow();
  return await listPage(total, page, async () => {
    const ids = await listJobIds(db, clientId, page);
    const rows = await selectJobs(db)
      .where("tasks.id", "=", sql<string>`any(${ids})`)
      .orderBy("tasks.created_at", "desc")
      .orderBy("tasks.id", "desc")
      .execute();
    return await toRecords(db, rows);
  });
}

/** A separate query, since the other one would also collect targets and outputs of all skipped rows. */
async function listJobIds(
  db: DatabaseHandle,
  clientId: string,
  { skip, take }: PageQuery,
): Promise<string[]> {
  const rows = await db
    .selectFrom("legacy_jobs")
    .innerJoin("tasks", "tasks.id", "legacy_jobs.task_id")
    .select("tasks.id")
    .where("tasks.client_id", "=", clientId)
    .orderBy("tasks.created_at", "desc")
    .orderBy("tasks.id", "desc")
    .offset(skip)
    .limit(take)
    .execute();
  return rows.map(({ id }) => id);
}

const selectJobs = (db: DatabaseHandle) =>
  db
    .selectFrom("legacy_jobs")
    .innerJoin("tasks", "tasks.id", "legacy_jobs.task_id")
    .selectAll("tasks")
    .select(TARGETS_OF_TASK.as("targets"))
    .select(["legacy_jobs.request_id", "legacy_jobs.callback_url", "legacy_jobs.metadata as job_metadata"]);

type JobRow = TaskRow & {
  request_id: string;
  callback_url: string | null;
  job_metadata: LegacyJobPart["metadata"];
};

async function toRecords(db: DatabaseHandle, rows: JobRow[]): Promise<LegacyJobRecord[]> {
  if (rows.length === 0) return [];
  const tasks = await toTaskRecords(db, rows);
  const assets = await listSourceAssets(db, rows);
  return rows.flatMap((row, index) => {
    const task = tasks[index];
    const sourceAsset = assets.find(({ id }) => id === row.asset_id);
    if (!task) return [];
    return {
      task,
      requestId: row.request_id,
      metadata: row.job_metadata,
      startedAt: row.started_at,
      ...(row.callback_url === null ? {} : { callbackUrl: row.callback_url }),
      ...(sourceAsset ? { sourceAsset } : {}),
    };
  });
}

/** Uploads and outputs of other Tasks that are inputs of the jobs. */
async function listSourceAssets(db: DatabaseHandle, rows: readonly JobRow[]): Promise<AssetRecord[]> {
  const ids = [...new Set(rows.flatMap(({ asset_id }) => asset_id ?? []))];
  if (ids.length === 0) return [];
  const uploads = await db.selectFrom("assets").selectAll().where("id", "in", ids).execute();
  const outputIds = ids.filter((id) => findOutputPlace(id) !== undefined);
  const clientId = rows[0]?.client_id ?? "";
  const outputs = await Promise.all(outputIds.map((id) => findOutputAsset(db, clientId, id)));
  return [...uploads.map(toAssetRecord), ...outputs.filter((output) => output !== undefined)];
}

/** Completed jobs of this month and the two before, in UTC, newest first; zeros for a month without any. */
export async function loadLegacyUsage(db: DatabaseHandle, clientId: string): Promise<LegacyUsage["usage"]> {
  const { rows } = await sql<LegacyUsage["usage"][number]>`
    with this_month as (select date_trunc('month', now() at time zone 'UTC') as start)
    select to_char(month.start, 'YYYY-MM') as month, coalesce(sum(job_targets), 0)::bigint as "totalJobs",
      round(coalesce(sum(job_seconds), 0) / 60, 2)::text as "totalMinutes"
    from this_month, generate_series(this_month.start - interval '2 months', this_month.start, '1 month') as month(start)
    left join usage_by_month on usage_by_month.client_id = ${clientId} and usage_by_month.month = month.start::date
    group by month.start order by month.start desc`.execute(db);
  return rows;
}
