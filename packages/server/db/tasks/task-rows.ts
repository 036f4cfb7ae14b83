import type { PageQuery, TaskListQuery } from "@stemwright/contract";
import { type Selectable, sql } from "kysely";
import type { Listed } from "../../domain/ports.ts";
import type { NewTask, TargetAdvance, TargetRecord, TaskRecord } from "../../domain/tasks/task-record.ts";
import type { RunState, TaskRun } from "../../domain/tasks/task-run.ts";
import type { DatabaseHandle, Tables } from "../database.ts";
import { countRows } from "../row-counts.ts";
import { findQueuePositions } from "./queue-positions.ts";
import { notifyTaskChange } from "./task-changes.ts";
import { findMatchingTasks, isFiltered } from "./task-filters.ts";
import { insertSources } from "./task-source-rows.ts";
import { notifyNewTask } from "./waiting-tasks.ts";

type OutputRow = Pick<Tables["outputs"], "name" | "format" | "blob_key" | "size_bytes" | "clipped_samples">;
type TargetRow = Pick<
  Selectable<Tables["targets"]>,
  | "id"
  | "model"
  | "formats"
  | "options"
  | "credits_per_minute"
  | "status"
  | "progress"
  | "cost"
  | "duration_seconds"
  | "audio_offset_seconds"
  | "error_code"
  | "error_message"
> & {
  outputs: OutputRow[];
  /** JSON has no dates. */
  expected_at_ms: number | null;
};
export type TaskRow = Selectable<Tables["tasks"]> & { targets: TargetRow[] };

/** A Task's targets with their outputs as one JSON value: three queries would cost three times as much in both processes. */
export const TARGETS_OF_TASK = sql<TargetRow[]>`(
  select coalesce(json_agg(json_build_object(
    'id', targets.id, 'model', targets.model, 'formats', targets.formats, 'options', targets.options,
    'credits_per_minute', targets.credits_per_minute, 'status', targets.status, 'progress', targets.progress,
    'expected_at_ms', extract(epoch from targets.expected_at) * 1000, 'cost', targets.cost, 'duration_seconds', targets.duration_seconds,
    'audio_offset_seconds', targets.audio_offset_seconds,
    'error_code', targets.error_code, 'error_message', targets.error_message,
    'outputs', (
      select coalesce(json_agg(json_build_object('name', outputs.name, 'format', outputs.format,
        'blob_key', outputs.blob_key, 'size_bytes', outputs.size_bytes, 'clipped_samples', outputs.clipped_samples) order by outputs.position), '[]')
      from outputs where outputs.target_id = targets.id and targets.status = 'completed')
  ) order by targets.position), '[]')
  from targets where targets.task_id = tasks.id)`;

const selectTasks = (db: DatabaseHandle) =>
  db.selectFrom("tasks").selectAll("tasks").select(TARGETS_OF_TASK.as("targets"));

/** The row is also the job: a NOTIFY wakes idle workers. */
export async function insertTask(db: DatabaseHandle, task: NewTask): Promise<void> {
  await db
    .insertInto("tasks")
    .values({
      id: task.id,
      client_id: task.clientId,
      asset_id: task.assetId ?? null,
      url: task.url ?? null,
      storage_integration_id: task.storageIntegrationId ?? null,
      write_destination: task.writeDestination ?? null,
      webhook_url: task.webhookUrl ?? null,
      metadata: task.metadata === undefined ? null : JSON.stringify(task.metadata),
      created_at: task.createdAt,
      completed_at: null,
      priority: task.priority ?? null,
      expected_audio_seconds: task.audioSeconds ?? null,
      is_long: task.isLong ?? false,
      is_temporary: task.isTemporary ?? false,
    })
    .execute();
  await db
    .insertInto("targets")
    .values(
      task.targets.map(({ id, model, formats, creditsPerMinute, ...options }, position) => ({
        id,
        task_id: task.id,
        position,
        model,
        formats,
        options,
        credits_per_minute: creditsPerMinute,
        cost: null,
        duration_seconds: null,
        audio_offset_seconds: null,
        error_code: null,
        error_message: null,
        finished_at: null,
      })),
    )
    .execute();
  await insertSources(db, task.id, task.sources ?? []);
  if (task.legacyJob) {
    const { requestId, callbackUrl, metadata } = task.legacyJob;
    await db
      .insertInto("legacy_jobs")
      .values({ task_id: task.id, request_id: requestId, callback_url: callbackUrl ?? null, metadata })
      .execute();
  }
  await notifyNewTask(db);
}

export async function findTask(
  db: DatabaseHandle,
  id: string,
  clientId?: string,
): Promise<TaskRecord | undefined> {
  let query = selectTasks(db).where("id", "=", id);
  if (clientId !== undefined) query = query.where("client_id", "=", clientId);
  const row = await query.executeTakeFirst();
  return row && (await toTaskRecords(db, [row]))[0];
}

export async function listTasks(
  db: DatabaseHandle,
  clientId: string,
  query: TaskListQuery,
): Promise<Listed<TaskRecord>> {
  const { ids, total } = isFiltered(query)
    ? await findMatchingTasks(db, clientId, query)
    : await findTaskPage(db, clientId, query);
  const rows = await selectTasks(db)
    .where("id", "=", sql<string>`any(${ids})`)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
  return { items: await toTaskRecords(db, rows), total };
}

async function findTaskPage(db: DatabaseHandle, clientId: string, page: PageQuery) {
  const total = await countRows(db, { clientId, noun: "tasks" });
  return { ids: await listTaskIds(db, clientId, { ...page, total }), total };
}

/**
 * From the index alone, so that skipped Tasks cost no row reads, and from the nearer end, so that at most half are skipped. A separate query, since one with
 * a limit is planned again each time, and this one's plan is trivial.
 */
async function listTaskIds(
  db: DatabaseHandle,
  clientId: string,
  { skip, take, total }: PageQuery & { total: number },
): Promise<string[]> {
  const isNearEnd = skip > total / 2;
  const skippedAtEnd = Math.max(0, total - skip - take);
  const count = isNearEnd ? Math.min(take, Math.max(0, total - skip)) : take;
  if (count === 0) return [];
  const direction = isNearEnd ? "asc" : "desc";
  const rows = await db
    .selectFrom("tasks")
    .select("id")
    .where("client_id", "=", clientId)
    .orderBy("created_at", direction)
    .orderBy("id", direction)
    .offset(isNearEnd ? skippedAtEnd : skip)
    .limit(count)
    .execute();
  return rows.map(({ id }) => id);
}

export async function isTaskUnfinished(db: DatabaseHandle, id: string): Promise<boolean> {
  const row = await db
    .selectFrom("tasks")
    .select("id")
    .where("id", "=", id)
    .where("completed_at", "is", null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a Task's outputs are or will be stored; those in a customer's bucket count for as long as ours would. */
export async function hasOutputsToKeep(
  db: DatabaseHandle,
  id: string,
  retentionHours: number,
): Promise<boolean> {
  const row = await db
    .selectFrom("tasks")
    .select(["completed_at", "outputs_removed_at"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (row === undefined || row.outputs_removed_at !== null) return false;
  const ageMs = row.completed_at === null ? 0 : Date.now() - row.completed_at.getTime();
  return retentionHours === 0 || ageMs < retentionHours * 3_600_000;
}

/** Deletes a Task; undefined if the client has no such Task. */
export async function deleteTask(
  db: DatabaseHandle,
  clientId: string,
  id: string,
): Promise<Pick<Tables["tasks"], "completed_at"> | undefined> {
  const deleted = await db
    .deleteFrom("tasks")
    .where("id", "=", id)
    .where("client_id", "=", clientId)
    .returning("completed_at")
    .executeTakeFirst();
  if (deleted) await notifyTaskChange(db, id);
  return deleted;
}

/** Rows as Tasks, waiting ones with their queue positions. */
export async function toTaskRecords(db: DatabaseHandle, rows: readonly TaskRow[]): Promise<TaskRecord[]> {
  const waiting = rows.filter((row) => row.completed_at === null && row.run_token === null);
  const positions = await findQueuePositions(
    db,
    waiting.map(({ id }) => id),
  );
  return rows.map((row) => {
    const queuePosition = positions.get(row.id);
    return { ...toTaskRecord(row), ...(queuePosition === undefined ? {} : { queuePosition }) };
  });
}

function toTaskRecord(row: TaskRow): TaskRecord {
  return {
    id: row.id,
    clientId: row.client_id,
    createdAt: row.created_at,
    completedAt: row.completed_at,
    isRunning: row.run_token !== null && row.completed_at === null,
    ...(row.run_token === null ? {} : { runToken: row.run_token }),
    ...(row.checkpoint_key === null ? {} : { checkpointKey: row.checkpoint_key }),
    ...(row.needed_disk_bytes === null ? {} : { roomNeededBytes: row.needed_disk_bytes }),
    ...(row.priority === null ? {} : { priority: row.priority }),
    ...(row.expected_audio_seconds === null ? {} : { audioSeconds: row.expected_audio_seconds }),
    ...(row.asset_id === null ? {} : { assetId: row.asset_id }),
    ...(row.url === null ? {} : { url: row.url }),
    ...(row.storage_integration_id === null ? {} : { storageIntegrationId: row.storage_integration_id }),
    ...(row.write_destination === null ? {} : { writeDestination: row.write_destination }),
    ...(row.webhook_url === null ? {} : { webhookUrl: row.webhook_url }),
    ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) as string }),
    ...(row.is_temporary ? { isTemporary: true } : {}),
    targets: row.targets.map(toTargetRecord),
  };
}

function toTargetRecord(row: TargetRow): TargetRecord {
  return {
    ...row.options,
    id: row.id,
    model: row.model,
    formats: row.formats,
    creditsPerMinute: row.credits_per_minute,
    status: row.status,
    progress: row.progress,
    ...(row.expected_at_ms === null ? {} : { expectedAt: new Date(row.expected_at_ms) }),
    output: row.outputs.map(({ name, format, blob_key, size_bytes, clipped_samples }) => ({
      name,
      format,
      blobKey: blob_key,
      sizeBytes: size_bytes,
      ...(clipped_samples === null ? {} : { clippedSamples: clipped_samples }),
    })),
    ...(row.cost === null ? {} : { cost: row.cost }),
    ...(row.duration_seconds === null ? {} : { durationSeconds: row.duration_seconds }),
    ...(row.audio_offset_seconds === null ? {} : { audioOffsetSeconds: row.audio_offset_seconds }),
    ...(row.error_code === null ? {} : { error: { code: row.error_code, message: row.error_message ?? "" } }),
  };
}

/**
 * Sets the progress of a Task's unfinished targets, which never decreases, whatever order reports arrive in, and the remaining time if known; returns the
 * state of the run. It sends no NOTIFY: notifying transactions are committed one by one, and thousands of workers report each second. Followers of a Task
 * poll (`listProgressMarks`). Nor is it synced to disk: the next report repeats it.
 */
export async function setProgress(
  db: DatabaseHandle,
  { taskId, token }: TaskRun,
  advances: readonly TargetAdvance[],
): Promise<RunState> {
  const { rows } = await sql<{ state: RunState }>`
    with advanced as (
      update targets set
        progress = greatest(targets.progress, told.progress),
        expected_at = now() + told.seconds_left * interval '1 second'
      from unnest(
        ${advances.map(({ targetId }) => targetId)}::text[],
        ${advances.map(({ progress }) => progress)}::real[],
        ${advances.map(({ secondsLeft }) => secondsLeft ?? null)}::float8[]
      ) as told (id, progress, seconds_left)
      where targets.id = told.id and targets.task_id = ${taskId} and targets.status = 'processing'
        and exists (select from tasks where id = ${taskId} and run_token = ${token})
    )
    select set_config('synchronous_commit', 'off', true),
      case when completed_at is not null then 'over' when run_token is distinct from ${token} then 'lost' else 'on' end as state
    from tasks where id = ${taskId}`.execute(db);
  return rows[0]?.state ?? "over";
}

/** Marks that change whenever any target of a Task advances. */
export async function listProgressMarks(
  db: DatabaseHandle,
  taskIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ task_id: string; mark: string }>`
    select task_id, string_agg(concat_ws(' ', status, progress, expected_at), ', ' order by position) as mark
    from targets where task_id = any(${taskIds}) group by task_id`.execute(db);
  return new Map(rows.map(({ task_id, mark }) => [task_id, mark]));
}
