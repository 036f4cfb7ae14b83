import { sql } from "kysely";
import type { Database, DatabaseHandle } from "../database.ts";

/*
 * The worker of a Task holds an advisory lock of its database session, which ends with the process however that ends, and with its machine. The token of a
 * run says who should work on it; the lock guarantees that never two do.
 */

/** Takes the Task's lock for the handle's session; false if another session has it. */
export async function tryTaskLock(db: DatabaseHandle, taskId: string): Promise<boolean> {
  const { rows } = await sql<{ is_held: boolean }>`
    select pg_try_advisory_lock(hashtextextended(${taskId}, 0)) as is_held`.execute(db);
  return rows[0]?.is_held ?? false;
}

export async function releaseTaskLock(db: DatabaseHandle, taskId: string): Promise<void> {
  await sql`select pg_advisory_unlock(hashtextextended(${taskId}, 0))`.execute(db);
}

/** Runs an action on a Task while nobody works on it; returns undefined, without running it, if somebody does. */
export async function withTaskLock<Result>(
  db: Database,
  taskId: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  return await db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ is_held: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${taskId}, 0)) as is_held`.execute(transaction);
    return rows[0]?.is_held ? await work() : undefined;
  });
}
