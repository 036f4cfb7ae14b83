import { TARGET_ERRORS } from "@stemwright/contract";
import { sql } from "kysely";
import { findCost } from "../../domain/credits/target-costs.ts";
import type { OutputRecord, TargetEnd, TaskRecord } from "../../domain/tasks/task-record.ts";
import { RunLost } from "../../domain/tasks/task-run.ts";
import { settleTarget } from "../credits/credit-rows.ts";
import { addUsage } from "../credits/usage-rows.ts";
import type { DatabaseHandle } from "../database.ts";
import { addTotals, type TotalName } from "../operation/service-totals.ts";
import { insertJobDelivery, insertTargetDelivery } from "../webhooks/delivery-rows.ts";
import { notifyTaskChange } from "./task-changes.ts";
import { findTask } from "./task-rows.ts";
import { deleteSourcesIfFinished } from "./task-source-rows.ts";

/**
 * Ends a target, once: returns false if it had already ended. The last target to end completes the Task. If a webhook is due, its delivery is inserted in
 * the same transaction. The Task's row is locked first, so that two targets that end together can't both miss being last, nor both be charged as the first
 * of a pair. A worker passes the token of its run; this fails with `RunLost` if the Task has another.
 */
export async function endTarget(
  db: DatabaseHandle,
  options: { taskId: string; token?: string; targetId: string; end: TargetEnd },
): Promise<boolean> {
  const { taskId, token, targetId, end } = options;
  const task = await lockTask(db, taskId);
  if (!task || task.completed_at !== null) return false;
  if (token !== undefined && task.run_token !== token) throw new RunLost();
  const values =
    end.status === "completed"
      ? {
          status: end.status,
          progress: 1,
          cost: await findTargetCost(db, { taskId, targetId, durationSeconds: end.durationSeconds }),
          duration_seconds: end.durationSeconds,
          audio_offset_seconds: end.audioOffsetSeconds ?? null,
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
  const { numAffectedRows: completed = 0n } = await sql`
    update tasks set completed_at = date_trunc('milliseconds', now())
    where id = ${taskId} and completed_at is null
      and not exists (select from targets where task_id = ${taskId} and status = 'processing')`.execute(db);
  await addTotals(db, await listTotals(db, { taskId, end, isLast: completed > 0n }));
  await deleteSourcesIfFinished(db, taskId);
  await insertTargetDelivery(db, { taskId, targetId });
  await insertJobDelivery(db, { taskId, status: end.status === "completed" ? "completed" : "failed" });
  await notifyTaskChange(db, taskId);
  return true;
}

/** Cancels the unfinished targets of a Task; finished ones stay. Undefined if the client has no such Task. */
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

/** Prevents targets from ending and the Task from being deleted until the transaction ends. */
export async function lockTask(
  db: DatabaseHandle,
  id: string,
): Promise<{ client_id: string; completed_at: Date | null; run_token: string | null } | undefined> {
  return await db
    .selectFrom("tasks")
    .select(["client_id", "completed_at", "run_token"])
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
}

/** The totals that the end of a target adds to. A Task counts for each state that one of its targets has. */
async function listTotals(
  db: DatabaseHandle,
  { taskId, end, isLast }: { taskId: string; end: TargetEnd; isLast: boolean },
): Promise<TotalName[]> {
  const { alike, abandoned } = await db
    .selectFrom("targets")
    .select((eb) => [
      eb.fn.countAll<number>().filterWhere("status", "=", end.status).as("alike"),
      eb.fn.countAll<number>().filterWhere("error_code", "=", TARGET_ERRORS.ABANDONED.code).as("abandoned"),
    ])
    .where("task_id", "=", taskId)
    .executeTakeFirstOrThrow();
  return [
    `targets ${end.status}`,
    ...(alike === 1 ? ([`tasks ${end.status}`] as const) : []),
    ...(isLast ? (["runs completed"] as const) : []),
    ...(isLast && abandoned > 0 ? (["runs failed"] as const) : []),
  ];
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
      outputs.map(({ name, format, blobKey, sizeBytes, clippedSamples }, position) => ({
        target_id: targetId,
        position,
        name,
        format,
        blob_key: blobKey,
        size_bytes: sizeBytes,
        media: null,
        clipped_samples: clippedSamples ?? null,
      })),
    )
    .execute();
}
