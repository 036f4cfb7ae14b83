import { sql } from "kysely";
import type { DatabaseHandle } from "./database.ts";
import { insertJobDelivery } from "./deliveries.ts";
import { notifyTaskChange } from "./task-changes.ts";

/** Places are counted this far; whoever is further back is told this one. So the longest line costs a fraction of a millisecond. */
const PLACES_MAX = 1000;

type WaitingTask = { id: string; createdAt: Date };
const IS_WAITING = sql`completed_at is null and run_started_at is null`;

/** The places of Tasks that wait, 1 for the next one. */
export async function findQueuePositions(
  db: DatabaseHandle,
  waiting: readonly WaitingTask[],
): Promise<Map<string, number>> {
  const [first, ...others] = waiting.toSorted(
    (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1),
  );
  if (!first) return new Map();
  const firstPlace = await findPlace(db, first);
  const places = new Map([[first.id, firstPlace]]);
  const last = others.at(-1);
  const behind =
    last && firstPlace < PLACES_MAX ? await numberBehind(db, { first, last }) : new Map<string, number>();
  for (const { id } of others)
    places.set(id, Math.min(PLACES_MAX, firstPlace + (behind.get(id) ?? PLACES_MAX)));
  return places;
}

async function findPlace(db: DatabaseHandle, { id, createdAt }: WaitingTask): Promise<number> {
  const { rows } = await sql<{ ahead: number }>`
    select count(*) as ahead from (
      select from tasks where ${IS_WAITING} and (created_at, id) < (${createdAt}::timestamptz, ${id})
      order by created_at, id limit ${PLACES_MAX - 1}
    ) as line`.execute(db);
  return 1 + (rows[0]?.ahead ?? 0);
}

/** How far behind the first each Task in the line is, up to the last. */
async function numberBehind(
  db: DatabaseHandle,
  { first, last }: { first: WaitingTask; last: WaitingTask },
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; behind: number }>`
    select id, row_number() over (order by created_at, id) as behind from tasks
    where ${IS_WAITING} and (created_at, id) > (${first.createdAt}::timestamptz, ${first.id})
      and (created_at, id) <= (${last.createdAt}::timestamptz, ${last.id})
    order by created_at, id limit ${PLACES_MAX}`.execute(db);
  return new Map(rows.map(({ id, behind }) => [id, behind]));
}

/** A worker begins, or begins again, with a Task. The first time is noted, and told to a legacy job's callback. */
export async function startRun(db: DatabaseHandle, taskId: string): Promise<void> {
  const { rows } = await sql<{ is_first: boolean }>`
    with unfinished as (
      select id, started_at is null as is_first from tasks where id = ${taskId} and completed_at is null for update
    )
    update tasks set
      started_at = coalesce(started_at, date_trunc('milliseconds', now())),
      run_started_at = now()
    from unfinished where tasks.id = unfinished.id
    returning unfinished.is_first`.execute(db);
  // What a run that was killed expected no longer holds.
  await db.updateTable("targets").set({ expected_at: null }).where("task_id", "=", taskId).execute();
  if (rows[0]?.is_first) await insertJobDelivery(db, { taskId, status: "processing" });
  await notifyTaskChange(db, taskId);
}

/** A worker lets go of a Task it has not finished; it waits again. */
export async function endRun(db: DatabaseHandle, taskId: string): Promise<void> {
  await db
    .updateTable("tasks")
    .set({ run_started_at: null })
    .where("id", "=", taskId)
    .where("completed_at", "is", null)
    .execute();
  await notifyTaskChange(db, taskId);
}
