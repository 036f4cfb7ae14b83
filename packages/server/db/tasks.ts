import { type Page, TARGET_ERRORS } from "@stemwright/contract";
import { type Selectable, sql } from "kysely";
import type { Listed } from "../domain/ports.ts";
import { findCost } from "../domain/tasks/target-costs.ts";
import type {
  NewTask,
  OutputRecord,
  TargetEnd,
  TargetRecord,
  TaskProgress,
  TaskRecord,
} from "../domain/tasks/task-record.ts";
import { settleTarget } from "./credits.ts";
import type { DatabaseHandle, Tables } from "./database.ts";
import { insertJobDelivery, insertTargetDelivery } from "./deliveries.ts";
import { countRows } from "./row-counts.ts";
import { notifyTaskChange } from "./task-changes.ts";
import { findQueuePositions } from "./task-runs.ts";
import { addUsage } from "./usage.ts";

type OutputRow = Pick<Tables["outputs"], "name" | "format" | "blob_key" | "size_bytes">;
type TargetRow = Pick<
  Selectable<Tables["targets"]>,
  | "id"
  | "model"
  | "formats"
  | "wishes"
  | "credits_per_minute"
  | "status"
  | "progress"
  | "cost"
  | "duration_seconds"
  | "error_code"
  | "error_message"
> & {
  outputs: OutputRow[];
  /** Within JSON there are no dates. */
  expected_at_ms: number | null;
};
export type TaskRow = Tables["tasks"] & { targets: TargetRow[] };

/** A Task's targets with their outputs, as one value: three queries would cost three times as much of both processes. */
export const TARGETS_OF_TASK = sql<TargetRow[]>`(
  select coalesce(json_agg(json_build_object(
    'id', targets.id, 'model', targets.model, 'formats', targets.formats, 'wishes', targets.wishes,
    'credits_per_minute', targets.credits_per_minute, 'status', targets.status, 'progress', targets.progress,
    'expected_at_ms', extract(epoch from targets.expected_at) * 1000, 'cost', targets.cost, 'duration_seconds', targets.duration_seconds,
    'error_code', targets.error_code, 'error_message', targets.error_message,
    'outputs', (
      select coalesce(json_agg(json_build_object('name', outputs.name, 'format', outputs.format,
        'blob_key', outputs.blob_key, 'size_bytes', outputs.size_bytes) order by outputs.position), '[]')
      from outputs where outputs.target_id = targets.id and targets.status = 'completed')
  ) order by targets.position), '[]')
  from targets where targets.task_id = tasks.id)`;

const selectTasks = (db: DatabaseHandle) =>
  db.selectFrom("tasks").selectAll("tasks").select(TARGETS_OF_TASK.as("targets"));

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
    })
    .execute();
  await db
    .insertInto("targets")
    .values(
      task.targets.map(({ id, model, formats, creditsPerMinute, ...wishes }, position) => ({
        id,
        task_id: task.id,
        position,
        model,
        formats,
        wishes,
        credits_per_minute: creditsPerMinute,
        cost: null,
        duration_seconds: null,
        error_code: null,
        error_message: null,
        finished_at: null,
      })),
    )
    .execute();
  if (task.legacyJob) {
    const { requestId, callbackUrl, metadata } = task.legacyJob;
    await db
      .insertInto("legacy_jobs")
      .values({ task_id: task.id, request_id: requestId, callback_url: callbackUrl ?? null, metadata })
      .execute();
  }
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
  page: Page,
): Promise<Listed<TaskRecord>> {
  const total = await countRows(db, { clientId, noun: "tasks" });
  const ids = await listTaskIds(db, clientId, { ...page, total });
  const rows = await selectTasks(db)
    .where("id", "=", sql<string>`any(${ids})`)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
  return { items: await toTaskRecords(db, rows), total };
}

/**
 * From the index alone, so that what is skipped costs no rows, and from the nearer end, so that it is half of them at most. A
 * query of its own, since one that holds a limit is planned again each time, and this one's plan is found at once.
 */
async function listTaskIds(
  db: DatabaseHandle,
  clientId: string,
  { skip, take, total }: Page & { total: number },
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

/** Whether a Task is there whose outputs are, or will be, kept; those in a customer's bucket count for as long as ours would. */
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

/** Removes a Task; false when the client has no such Task. */
export async function deleteTask(db: DatabaseHandle, clientId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("tasks")
    .where("id", "=", id)
    .where("client_id", "=", clientId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await notifyTaskChange(db, id);
  return true;
}

/** Rows as Tasks, those that wait with their places in the line. */
export async function toTaskRecords(db: DatabaseHandle, rows: readonly TaskRow[]): Promise<TaskRecord[]> {
  const waiting = rows.filter((row) => row.completed_at === null && row.run_started_at === null);
  const positions = await findQueuePositions(
    db,
    waiting.map(({ id, created_at }) => ({ id, createdAt: created_at })),
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
    isRunning: row.run_started_at !== null && row.completed_at === null,
    ...(row.asset_id === null ? {} : { assetId: row.asset_id }),
    ...(row.url === null ? {} : { url: row.url }),
    ...(row.storage_integration_id === null ? {} : { storageIntegrationId: row.storage_integration_id }),
    ...(row.write_destination === null ? {} : { writeDestination: row.write_destination }),
    ...(row.webhook_url === null ? {} : { webhookUrl: row.webhook_url }),
    ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) as string }),
    targets: row.targets.map(toTargetRecord),
  };
}

function toTargetRecord(row: TargetRow): TargetRecord {
  return {
    ...row.wishes,
    id: row.id,
    model: row.model,
    formats: row.formats,
    creditsPerMinute: row.credits_per_minute,
    status: row.status,
    progress: row.progress,
    ...(row.expected_at_ms === null ? {} : { expectedAt: new Date(row.expected_at_ms) }),
    output: row.outputs.map(({ name, format, blob_key, size_bytes }) => ({
      name,
      format,
      blobKey: blob_key,
      sizeBytes: size_bytes,
    })),
    ...(row.cost === null ? {} : { cost: row.cost }),
    ...(row.duration_seconds === null ? {} : { durationSeconds: row.duration_seconds }),
    ...(row.error_code === null ? {} : { error: { code: row.error_code, message: row.error_message ?? "" } }),
  };
}

/** Progress of the Task's unfinished targets, which never goes back, whatever order the reports arrive in, and what is left where that is known. */
export async function setProgress(
  db: DatabaseHandle,
  taskId: string,
  { progress, secondsLeft }: TaskProgress,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable("targets")
    .set({
      progress: sql<number>`greatest(progress, ${progress})`,
      expected_at: sql<Date | null>`now() + ${secondsLeft ?? null}::float8 * interval '1 second'`,
    })
    .where("task_id", "=", taskId)
    .where("status", "=", "processing")
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await notifyTaskChange(db, taskId);
}

/**
 * Ends a target, once: false when somebody else ended it before. The last one to end completes the Task.
 * Whoever is to hear of it is owed a delivery in the same transaction. The row of the Task is locked first, so that two
 * targets that end together can't both miss being last, nor both be charged as the first of a pair.
 */
export async function endTarget(
  db: DatabaseHandle,
  options: { taskId: string; targetId: string; end: TargetEnd },
): Promise<boolean> {
  const { taskId, targetId, end } = options;
  const task = await lockTask(db, taskId);
  if (!task) return false;
  const values =
    end.status === "completed"
      ? {
          status: end.status,
          progress: 1,
          cost: await findTargetCost(db, { taskId, targetId, durationSeconds: end.durationSeconds }),
          duration_seconds: end.durationSeconds,
        }
      : { status: end.status, error_code: end.error.code, error_message: end.error.message };
  const ended = await db
    .updateTable("targets")
    .set({ ...values, finished_at: sql`now()` })
    .where("id", "=", targetId)
    .where("status", "=", "processing")
    .returning(["model", "cost", "finished_at"])
    .executeTakeFirst();
  if (!ended) return false;
  await settleTarget(db, { taskId, targetId, cost: ended.cost ?? 0 });
  if (end.status === "completed") {
    await insertOutputs(db, targetId, end.output);
    await addUsage(db, {
      clientId: task.client_id,
      taskId,
      model: ended.model,
      durationSeconds: end.durationSeconds,
      cost: ended.cost ?? 0,
      finishedAt: ended.finished_at ?? new Date(),
    });
  }
  await sql`
    update tasks set completed_at = date_trunc('milliseconds', now())
    where id = ${taskId} and completed_at is null
      and not exists (select from targets where task_id = ${taskId} and status = 'processing')`.execute(db);
  await insertTargetDelivery(db, { taskId, targetId });
  await insertJobDelivery(db, { taskId, status: end.status === "completed" ? "completed" : "failed" });
  await notifyTaskChange(db, taskId);
  return true;
}

/** Ends what is left of a Task as cancelled; what is finished stays. Undefined when the client has no such Task. */
export async function cancelTask(
  db: DatabaseHandle,
  clientId: string,
  id: string,
): Promise<TaskRecord | undefined> {
  const locked = await lockTask(db, id);
  if (locked?.client_id !== clientId) return undefined;
  const unfinished = await db
    .selectFrom("targets")
    .select("id")
    .where("task_id", "=", id)
    .where("status", "=", "processing")
    .orderBy("position")
    .execute();
  const { code } = TARGET_ERRORS.CANCELLED;
  const error = { code, message: "The client cancelled the Task" };
  for (const target of unfinished)
    await endTarget(db, { taskId: id, targetId: target.id, end: { status: "error", error } });
  return await findTask(db, id);
}

/** Keeps targets from ending and the Task from going until the transaction ends. */
export async function lockTask(db: DatabaseHandle, id: string): Promise<{ client_id: string } | undefined> {
  return await db.selectFrom("tasks").select("client_id").where("id", "=", id).forUpdate().executeTakeFirst();
}

async function findTargetCost(
  db: DatabaseHandle,
  options: { taskId: string; targetId: string; durationSeconds: number },
): Promise<number | null> {
  const rows = await db
    .selectFrom("targets")
    .select(["id", "model", "credits_per_minute", "cost", "status"])
    .where("task_id", "=", options.taskId)
    .orderBy("position")
    .execute();
  const targets = rows.map(({ id, model, credits_per_minute, cost, status }) => ({
    id,
    model,
    creditsPerMinute: credits_per_minute,
    hasFailed: status === "error",
    ...(cost === null ? {} : { cost }),
  }));
  const target = targets.find(({ id }) => id === options.targetId);
  return target ? findCost(targets, target, options.durationSeconds) : null;
}

async function insertOutputs(db: DatabaseHandle, targetId: string, outputs: OutputRecord[]): Promise<void> {
  if (outputs.length === 0) return;
  await db
    .insertInto("outputs")
    .values(
      outputs.map(({ name, format, blobKey, sizeBytes }, position) => ({
        target_id: targetId,
        position,
        name,
        format,
        blob_key: blobKey,
        size_bytes: sizeBytes,
      })),
    )
    .execute();
}
