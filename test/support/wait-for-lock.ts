import type pg from "pg";
import { expect } from "vitest";

const WAITING =
  "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

/** Resolves once the work waits for a database lock, in this many sessions, or has settled. */
export async function waitForLock(pool: pg.Pool, work: Promise<unknown>, sessions = 1): Promise<void> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  await expect.poll(async () => isOver || (await pool.query(WAITING)).rowCount === sessions).toBe(true);
}
