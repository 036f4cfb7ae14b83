import type { Page } from "@stemwright/contract";
import { sql } from "kysely";
import type { Listed } from "../domain/ports.ts";
import type {
  NewTask,
  OutputRecord,
  TargetEnd,
  TargetRecord,
  TaskRecord,
} from "../domain/tasks/task-record.ts";
import { settleTarget } from "./credits.ts";
import type { DatabaseHandle, Tables } from "./database.ts";

type TargetRow = Pick<
  Tables["targets"],
  | "id"
  | "task_id"
  | "model"
  | "formats"
  | "wishes"
  | "credits_per_minute"
  | "cost"
  | "duration_seconds"
  | "error_code"
  | "error_message"
> & { status: TargetRecord["status"]; progress: number };
type OutputRow = Tables["outputs"];

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
}

export async function findTask(
  db: DatabaseHandle,
  id: string,
  clientId?: string,
): Promise<TaskRecord | undefined> {
  let query = db.selectFrom("tasks").selectAll().where("id", "=", id);
  if (clientId !== undefined) query = query.where("client_id", "=", clientId);
  const row = await query.executeTakeFirst();
  return row && (await withTargets(db, [row]))[0];
}

export async function listTasks(
  db: DatabaseHandle,
  clientId: string,
  page: Page,
): Promise<Listed<TaskRecord>> {
  const rows = await db
    .selectFrom("tasks")
    .selectAll()
    .where("client_id", "=", clientId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .offset(page.skip)
    .limit(page.take)
    .execute();
  const { total } = await db
    .selectFrom("tasks")
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .where("client_id", "=", clientId)
    .executeTakeFirstOrThrow();
  return { items: await withTargets(db, rows), total };
}

/** Removes a Task; gives its outputs, so that their files can go too. */
export async function deleteTask(
  db: DatabaseHandle,
  clientId: string,
  id: string,
): Promise<OutputRecord[] | undefined> {
  const task = await findTask(db, id, clientId);
  if (!task) return undefined;
  await db.deleteFrom("tasks").where("id", "=", id).where("client_id", "=", clientId).execute();
  return task.targets.flatMap(({ output }) => output);
}

async function withTargets(db: DatabaseHandle, tasks: Tables["tasks"][]): Promise<TaskRecord[]> {
  if (tasks.length === 0) return [];
  const taskIds = tasks.map(({ id }) => id);
  const targets = await db
    .selectFrom("targets")
    .selectAll()
    .where("task_id", "in", taskIds)
    .orderBy("position")
    .execute();
  const outputs = await db
    .selectFrom("outputs")
    .innerJoin("targets", "targets.id", "outputs.target_id")
    .selectAll("outputs")
    .where("targets.task_id", "in", taskIds)
    .orderBy("outputs.position")
    .execute();
  const outputsOf = Map.groupBy(outputs, (output) => output.target_id);
  const targetsOf = Map.groupBy(targets, (target) => target.task_id);
  return tasks.map((task) => toTaskRecord(task, targetsOf.get(task.id) ?? [], outputsOf));
}

function toTaskRecord(
  row: Tables["tasks"],
  targets: TargetRow[],
  outputsOf: Map<string, OutputRow[]>,
): TaskRecord {
  return {
    id: row.id,
    clientId: row.client_id,
    createdAt: row.created_at,
    completedAt: row.completed_at,
    ...(row.asset_id === null ? {} : { assetId: row.asset_id }),
    ...(row.url === null ? {} : { url: row.url }),
    ...(row.storage_integration_id === null ? {} : { storageIntegrationId: row.storage_integration_id }),
    ...(row.write_destination === null ? {} : { writeDestination: row.write_destination }),
    ...(row.webhook_url === null ? {} : { webhookUrl: row.webhook_url }),
    ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) as string }),
    targets: targets.map((target) => toTargetRecord(target, outputsOf.get(target.id) ?? [])),
  };
}

function toTargetRecord(row: TargetRow, outputs: OutputRow[]): TargetRecord {
  return {
    ...row.wishes,
    id: row.id,
    model: row.model,
    formats: row.formats,
    creditsPerMinute: row.credits_per_minute,
    status: row.status,
    progress: row.progress,
    output: outputs.map(({ name, format, blob_key, size_bytes }) => ({
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

/** Progress of the Task's unfinished targets; it never goes back, whatever order the reports arrive in. */
export async function setProgress(db: DatabaseHandle, taskId: string, progress: number): Promise<void> {
  await db
    .updateTable("targets")
    .set({ progress })
    .where("task_id", "=", taskId)
    .where("status", "=", "processing")
    .where("progress", "<", progress)
    .execute();
}

/**
 * Ends a target, once: false when somebody else ended it before. The last one to end completes the Task.
 * The row of the Task is locked first, so that two targets that end together can't both miss being last.
 */
export async function endTarget(
  db: DatabaseHandle,
  options: { taskId: string; targetId: string; end: TargetEnd },
): Promise<boolean> {
  const { taskId, targetId, end } = options;
  await db.selectFrom("tasks").select("id").where("id", "=", taskId).forUpdate().execute();
  const values =
    end.status === "completed"
      ? { status: end.status, progress: 1, cost: end.cost, duration_seconds: end.durationSeconds }
      : { status: end.status, error_code: end.error.code, error_message: end.error.message };
  const { numUpdatedRows } = await db
    .updateTable("targets")
    .set({ ...values, finished_at: sql`now()` })
    .where("id", "=", targetId)
    .where("status", "=", "processing")
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await settleTarget(db, { taskId, targetId, cost: end.status === "completed" ? end.cost : 0 });
  if (end.status === "completed" && end.output.length > 0) {
    await db
      .insertInto("outputs")
      .values(
        end.output.map(({ name, format, blobKey, sizeBytes }, position) => ({
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
  await sql`
    update tasks set completed_at = date_trunc('milliseconds', now())
    where id = ${taskId} and completed_at is null
      and not exists (select from targets where task_id = ${taskId} and status = 'processing')`.execute(db);
  return true;
}
