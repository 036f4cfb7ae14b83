import { sql } from "kysely";
import type { DatabaseHandle } from "../database.ts";

/** Idle workers LISTEN here. */
export const WAITING_CHANNEL = "tasks_waiting";
/** Payload for a realignment; Tasks have none. */
export const STRETCH_PAYLOAD = "stretch";

export const IS_WAITING = sql`completed_at is null and run_token is null`;
export const IS_RUNNING = sql`completed_at is null and run_token is not null`;

/**
 * The order of the index that has only waiting Tasks. A query with a limit needs it even if it does not care about the order: otherwise it may walk another
 * index past all finished Tasks.
 */
const WAITING_ORDER = sql`is_long, -coalesce(priority, 5), created_at, id`;

/** Notifies idle workers that there may be work; inside a transaction, when it commits. */
export async function notifyWaiting(db: DatabaseHandle): Promise<void> {
  await sql`select pg_notify(${WAITING_CHANNEL}, '')`.execute(db);
}

/** The same for realignments. */
export async function notifyStretch(db: DatabaseHandle): Promise<void> {
  await sql`select pg_notify(${WAITING_CHANNEL}, ${STRETCH_PAYLOAD})`.execute(db);
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
