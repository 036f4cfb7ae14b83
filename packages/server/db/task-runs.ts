import { sql } from "kysely";
import type { DatabaseHandle } from "./database.ts";
import { insertJobDelivery } from "./deliveries.ts";
import { notifyTaskChange } from "./task-changes.ts";

/** Places are counted this far; whoever is further back is told this one. So the longest line costs no more than half a millisecond. */
const PLACES_MAX = 1000;

/** The places of waiting Tasks in the line, 1 for the next. */
export async function findQueuePositions(
  db: DatabaseHandle,
  taskIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; position: number }>`
    with line as materialized (
      select id, row_number() over (order by created_at, id) as position from tasks
      where completed_at is null and run_started_at is null
      order by created_at, id limit ${PLACES_MAX}
    )
    select tasks.id, coalesce(line.position, ${PLACES_MAX}) as position
    from tasks left join line on line.id = tasks.id
    where tasks.id = any(${taskIds}) and tasks.completed_at is null and tasks.run_started_at is null`.execute(
    db,
  );
  return new Map(rows.map(({ id, position }) => [id, position]));
}

/** A worker begins, or begins again, with a Task. The first time, the owner of a legacy job is to hear of it. */
export async function startRun(db: DatabaseHandle, taskId: string): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable("tasks")
    .set({ started_at: sql`date_trunc('milliseconds', now())` })
    .where("id", "=", taskId)
    .where("started_at", "is", null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) await insertJobDelivery(db, { taskId, status: "processing" });
  await sql`
    update tasks set run_started_at = now(), run_start_progress = (
      select coalesce(min(progress), 0) from targets where task_id = ${taskId} and status = 'processing')
    where id = ${taskId} and completed_at is null`.execute(db);
  await notifyTaskChange(db, taskId);
}

/** A worker lets go of a Task it has not finished; it waits again. */
export async function endRun(db: DatabaseHandle, taskId: string): Promise<void> {
  await db
    .updateTable("tasks")
    .set({ run_started_at: null, run_start_progress: null })
    .where("id", "=", taskId)
    .where("completed_at", "is", null)
    .execute();
  await notifyTaskChange(db, taskId);
}
