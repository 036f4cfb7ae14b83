import { sql } from "kysely";
import type { DatabaseHandle } from "../database.ts";

/** Workers without work listen here. */
export const WAITING_CHANNEL = "tasks_waiting";
/** Said there of a stretch of words that waits to be aligned; of Tasks nothing is said. */
export const STRETCH_PAYLOAD = "stretch";

export const IS_WAITING = sql`completed_at is null and run_token is null`;
export const IS_RUNNING = sql`completed_at is null and run_token is not null`;

/**
 * The order of the index that has waiting Tasks alone. A look-up with a limit goes by it, whatever it wants the order for: else it
 * may walk along another index, past all the finished Tasks that lie before.
 */
const WAITING_ORDER = sql`is_long, -coalesce(priority, 5), created_at, id`;

/** Tells workers without work that there may be some; in a transaction, once that is committed. */
export async function notifyWaiting(db: DatabaseHandle): Promise<void> {
  await sql`select pg_notify(${WAITING_CHANNEL}, '')`.execute(db);
}

/** The same for those who align stretches of words. */
export async function notifyStretch(db: DatabaseHandle): Promise<void> {
  await sql`select pg_notify(${WAITING_CHANNEL}, ${STRETCH_PAYLOAD})`.execute(db);
}

/** How many of a client's Tasks may wait, 0 for any number, and how many do, counted no further than that. */
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

/** Lets the Tasks be taken whose time has come. */
export async function endDelays(db: DatabaseHandle): Promise<void> {
  await sql`
    with due as (
      update tasks set due_at = null where id in (
        select id from tasks where ${IS_WAITING} and due_at <= now() for update skip locked)
      returning id
    )
    select pg_notify(${WAITING_CHANNEL}, '') from due limit 1`.execute(db);
}
