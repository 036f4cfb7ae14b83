import { sql } from "kysely";
import type { DatabaseHandle } from "./database.ts";
import { insertJobDelivery } from "./deliveries.ts";
import { notifyTaskChange } from "./task-changes.ts";

/** Places are counted this far; whoever is further back is told this one. So the longest line costs a millisecond. */
const PLACES_MAX = 1000;

/** The places of Tasks that wait, 1 for the next one. */
export async function findQueuePositions(
  db: DatabaseHandle,
  waitingIds: readonly string[],
): Promise<Map<string, number>> {
  if (waitingIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; position: number }>`
    select id, position from (
      select id, row_number() over (order by created_at, id) as position from tasks
      where completed_at is null and run_started_at is null
      order by created_at, id limit ${PLACES_MAX}
    ) as line
    where id = any(${waitingIds})`.execute(db);
  const counted = new Map(rows.map(({ id, position }) => [id, position]));
  return new Map(waitingIds.map((id) => [id, counted.get(id) ?? PLACES_MAX]));
}

/** A worker begins, or begins again, with a Task. The first time is noted, and told to a legacy job's callback. */
export async function startRun(db: DatabaseHandle, taskId: string): Promise<void> {
  const { rows } = await sql<{ is_first: boolean }>`
    with unfinished as (
      select id, started_at is null as is_first from tasks where id = ${taskId} and completed_at is null for update
    )
    update tasks set
      started_at = coalesce(started_at, date_trunc('milliseconds', now())),
      run_started_at = now(),
      run_start_progress = (
        select coalesce(min(progress), 0) from targets where task_id = ${taskId} and status = 'processing')
    from unfinished where tasks.id = unfinished.id
    returning unfinished.is_first`.execute(db);
  if (rows[0]?.is_first) await insertJobDelivery(db, { taskId, status: "processing" });
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
