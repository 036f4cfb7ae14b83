import { type RawBuilder, sql } from "kysely";
import { RunLost, type TaskRun } from "../../domain/tasks/task-run.ts";
import type { DatabaseHandle } from "../database.ts";
import { IS_TOO_NEW } from "../schema/schema-fault.ts";
import { insertJobDelivery } from "../webhooks/delivery-rows.ts";
import { notifyTaskChange, TASK_CHANGES_CHANNEL } from "./task-changes.ts";
import { IS_RUNNING, WAITING_CHANNEL } from "./waiting-tasks.ts";

export const MAX_ATTEMPTS = 5;
const FIRST_RETRY_SECONDS = 1;
const MAX_ROOM_DELAY_SECONDS = 60;
/**
 * An attempt that advances a target by at least this much, a thousandth, does not count against the Task: many kills do not fail a long Task, and one that
 * fails again and again at the same place is not retried forever.
 */
const MIN_ADVANCE = 0.001;
const HAS_ADVANCED = sql`task_progress(tasks.id) > attempt_start_progress + ${sql.lit(MIN_ADVANCE)}`;

/** Matches the Task of a run in progress. */
const isOf = ({ taskId, token }: TaskRun): RawBuilder<boolean> =>
  sql`tasks.id = ${taskId} and run_token = ${token} and completed_at is null`;

/**
 * Claims the next Task for a worker and locks it for the handle's session. Claims nothing on a schema this release does not support: every attempt would
 * fail.
 */
export async function claimTask(
  db: DatabaseHandle,
  claim: { workerId: string; token: string; clientRunningMax: number },
): Promise<TaskRun | undefined> {
  const { workerId, token, clientRunningMax } = claim;
  const { rows } = await sql<{ task_id: string | null }>`
    select claim_task(${workerId}, ${token}, ${clientRunningMax}) as task_id where not ${IS_TOO_NEW}`.execute(
    db,
  );
  const taskId = rows[0]?.task_id ?? null;
  return taskId === null ? undefined : { taskId, token };
}

/** A worker starts or restarts a Task. The first start is recorded, and sent to a legacy job's callback. */
export async function startRun(db: DatabaseHandle, run: TaskRun): Promise<void> {
  const { taskId } = run;
  const { rows } = await sql<{ is_first: boolean }>`
    with begun as (select id, started_at is null as is_first from tasks where ${isOf(run)} for update)
    update tasks set started_at = coalesce(started_at, date_trunc('milliseconds', now()))
    from begun where tasks.id = begun.id
    returning begun.is_first`.execute(db);
  if (!rows[0]) throw new RunLost();
  // A killed run's estimate no longer applies.
  await db.updateTable("targets").set({ expected_at: null }).where("task_id", "=", taskId).execute();
  if (rows[0].is_first) await insertJobDelivery(db, { taskId, status: "processing" });
  await notifyTaskChange(db, taskId);
}

/** Records the length of a Task's input; false if that makes one long Task too many. */
export async function setLength(
  db: DatabaseHandle,
  run: TaskRun,
  { audioSeconds, isLong }: { audioSeconds: number; isLong: boolean },
): Promise<boolean> {
  const { rows } = await sql<{ has_room: boolean | null }>`
    select set_task_length(${run.taskId}, ${run.token}, ${audioSeconds}, ${isLong}) as has_room`.execute(db);
  const hasRoom = rows[0]?.has_room ?? null;
  if (hasRoom === null) throw new RunLost();
  return hasRoom;
}

/** Ends a run through no fault of the Task: it does not count as an attempt, and its client gets the turn back. */
export async function giveBack(
  db: DatabaseHandle,
  run: TaskRun,
  { delaySeconds = 0, checkpointKey }: { delaySeconds?: number; checkpointKey?: string | undefined } = {},
): Promise<void> {
  await giveBackWith(
    db,
    run,
    sql`
      due_at = now() + nullif(${delaySeconds}::float8, 0) * interval '1 second',
      checkpoint_key = coalesce(${checkpointKey ?? null}::text, checkpoint_key)`,
  );
}

/**
 * The same because a disk is full. The Task waits 1 s, 2 s … up to a minute, minus up to a quarter at random, so that Tasks that filled the disk together
 * don't do so again.
 */
export async function giveBackForRoom(db: DatabaseHandle, run: TaskRun, neededBytes: number): Promise<void> {
  await giveBackWith(
    db,
    run,
    sql`
      due_at = now() + least(${MAX_ROOM_DELAY_SECONDS}, 2 ^ (case when ${HAS_ADVANCED} then 0 else disk_full_returns end))
        * (1 - random() / 4) * interval '1 second',
      disk_full_returns = case when ${HAS_ADVANCED} then 1 else least(disk_full_returns + 1, 16) end,
      needed_disk_bytes = greatest(needed_disk_bytes, ${neededBytes}::bigint)`,
  );
}

/** A single statement, so that no row lock waits for a worker. */
async function giveBackWith(db: DatabaseHandle, run: TaskRun, changes: RawBuilder<unknown>): Promise<void> {
  await sql`
    with given as (
      update tasks set run_token = null, worker_id = null, run_started_at = null,
        attempts = case when ${HAS_ADVANCED} then 0 else greatest(0, attempts - 1) end, ${changes}
      where ${isOf(run)} returning tasks.id, client_id
    ), refunded as (
      update client_finish_tags set finish_tag = finish_tag - 1000000 / clients.weight
      from given join clients on clients.id = given.client_id where client_finish_tags.client_id = given.client_id
    )
    select pg_notify(${WAITING_CHANNEL}, ''), pg_notify(${TASK_CHANGES_CHANNEL}, given.id) from given`.execute(
    db,
  );
}

/**
 * Ends a failed run. The Task waits for its next attempt, with backoff if the previous one failed too. After the last attempt it stays the run's, whose
 * caller abandons it.
 */
export async function failRun(
  db: DatabaseHandle,
  run: TaskRun,
  errorName: string,
  { firstDelaySeconds = FIRST_RETRY_SECONDS } = {},
): Promise<{ isLast: boolean }> {
  const { rows } = await sql<{ is_last: boolean }>`
    with failed as (
      select tasks.id, case when ${HAS_ADVANCED} then 0 else attempts end as counted from tasks where ${isOf(run)} for update
    ), ended as (
      update tasks set attempts = counted, last_error_name = ${errorName},
        run_token = case when counted < ${MAX_ATTEMPTS} then null else run_token end,
        worker_id = case when counted < ${MAX_ATTEMPTS} then null else worker_id end,
        run_started_at = case when counted < ${MAX_ATTEMPTS} then null else run_started_at end,
        due_at = now() + nullif(${firstDelaySeconds}::float8 * 2 ^ greatest(0, counted - 1), 0) * interval '1 second'
      from failed where tasks.id = failed.id
      returning tasks.id, run_token is not null as is_last
    )
    select is_last, pg_notify(${WAITING_CHANNEL}, ''), pg_notify(${TASK_CHANGES_CHANNEL}, id) from ended`.execute(
    db,
  );
  return { isLast: rows[0]?.is_last ?? false };
}

/** Whether the Task is still the run's. */
export async function isRunOn(db: DatabaseHandle, run: TaskRun): Promise<boolean> {
  const { rows } = await sql`select from tasks where ${isOf(run)}`.execute(db);
  return rows.length > 0;
}

/** The unfinished runs of a worker. */
export async function listRuns(db: DatabaseHandle, workerId: string): Promise<TaskRun[]> {
  const { rows } = await sql<TaskRun>`
    select id as "taskId", run_token as token from tasks where ${IS_RUNNING} and worker_id = ${workerId}`.execute(
    db,
  );
  return rows;
}
