import { sql } from "kysely";
import type { DatabaseHandle } from "../database.ts";
import { IS_ALIVE } from "../operation/worker-rows.ts";

/** Workers without a Task LISTEN here, and the supervisor. */
export const WAITING_CHANNEL = "tasks_waiting";
/** Payload for a realignment; that for Tasks is empty or has ids of workers. */
export const GAP_PAYLOAD = "gap";
/** How many idle workers a new Task wakes: one takes it, and the others may have died or just taken another. */
const WOKEN = 4;

export const IS_WAITING = sql`completed_at is null and run_token is null`;
export const IS_RUNNING = sql`completed_at is null and run_token is not null`;

/**
 * The order of the index that has only waiting Tasks. A query with a limit needs it even if it does not care about the order: otherwise it may walk another
 * index past all finished Tasks.
 */
const WAITING_ORDER = sql`is_long, -coalesce(priority, 5), created_at, id`;

/** The workers that are to look for a Task; empty for all. */
export const parseWorkerIds = (payload: string): string[] => payload.split(" ").filter(Boolean);

/** A few idle workers at random; all that listen, if there are only a few. Helpers are not idle, but listen. */
const WAKE_A_FEW = sql`pg_notify(${WAITING_CHANNEL}, (
  select case when count(*) < ${sql.lit(WOKEN)} then '' else string_agg(id, ' ') end from (
    select id from workers where task_id is null and ${IS_ALIVE} order by random() limit ${sql.lit(WOKEN)}) as idle))`;

/** Wakes a few idle workers for a new Task, when the transaction commits. */
export async function notifyNewTask(db: DatabaseHandle): Promise<void> {
  await sql`select ${WAKE_A_FEW}`.execute(db);
}

/** The same if there is another Task to claim: of workers that were woken together, each wakes the next. */
export async function notifyIfMore(db: DatabaseHandle): Promise<void> {
  await sql`
    select ${WAKE_A_FEW} from (
      select from tasks where ${IS_WAITING} and due_at is null order by created_at limit 1) as more`.execute(
    db,
  );
}

/** Notifies all workers without a Task that there may be work; inside a transaction, when it commits. */
export async function notifyWaiting(db: DatabaseHandle): Promise<void> {
  await sql`select pg_notify(${WAITING_CHANNEL}, '')`.execute(db);
}

/** The same for realignments. */
export async function notifyGap(db: DatabaseHandle): Promise<void> {
  await sql`select pg_notify(${WAITING_CHANNEL}, ${GAP_PAYLOAD})`.execute(db);
}

/** The limit on a client's waiting Tasks, 0 for none, and how many there are, counted no further than the limit. */
export async function countWaiting(
  db: DatabaseHandle,
  clientId: string,
  maxByDefault: number,
): Promise<{ max: number; waiting: number }> {
  const { rows } = await sql<{ max: number; waiting: number }>`
    select max, (
      select count(*) from (
        select from tasks where ${IS_WAITING} and client_id = ${clientId} order by ${WAITING_ORDER} limit max) as line
    ) as waiting
    from (select coalesce(waiting_max, ${maxByDefault}) as max from clients where id = ${clientId}) as given`.execute(
    db,
  );
  return rows[0] ?? { max: 0, waiting: 0 };
}

/** Makes delayed Tasks claimable whose time has come. */
export async function endDelays(db: DatabaseHandle): Promise<void> {
  await sql`
    with due as (
      update tasks set due_at = null where id in (
        select id from tasks where ${IS_WAITING} and due_at <= now() for update skip locked)
      returning id
    )
    select pg_notify(${WAITING_CHANNEL}, '') from due limit 1`.execute(db);
}
