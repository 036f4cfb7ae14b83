import { sql } from "kysely";
import type { TaskRun } from "../../domain/tasks/task-run.ts";
import { ADVISORY_LOCKS } from "../advisory-locks.ts";
import type { DatabaseHandle } from "../database.ts";
import { IS_RUNNING, IS_WAITING } from "./waiting-tasks.ts";

/** A worker or supervisor without a sign of activity for this long is frozen: what it holds is taken away. */
const SILENT_SECONDS = 60;

const HELD = sql`
  select (classid::bigint << 32) | objid::bigint as key, pid from pg_locks
  where locktype = 'advisory' and objsubid = 1 and granted
    and database = (select oid from pg_database where datname = current_database())`;

/**
 * Makes the handle's session the supervisor if there is none; returns whether it is now. A supervisor that has queried nothing for a minute is frozen: its
 * session is terminated, and the next call finds the position vacant.
 */
export async function trySupervising(
  db: DatabaseHandle,
  { silentSeconds = SILENT_SECONDS } = {},
): Promise<boolean> {
  const { rows } = await sql<{ is_supervisor: boolean }>`
    select pg_try_advisory_lock(${ADVISORY_LOCKS.supervisor}) as is_supervisor, (
      select count(pg_terminate_backend(held.pid))
      from (${HELD}) as held join pg_stat_activity on pg_stat_activity.pid = held.pid
      where held.key = ${ADVISORY_LOCKS.supervisor} and state_change < now() - make_interval(secs => ${silentSeconds})
    ) as ended`.execute(db);
  return rows[0]?.is_supervisor ?? false;
}

/** A run whose lock nobody holds or, with the session that holds it, whose worker has been silent for long. */
export type DoubtfulRun = TaskRun & { workerId: string; silentPid: number | null };

/** The supervisor's work list. A single read-only statement, since usually there is nothing to do. */
export async function lookAtRuns(
  db: DatabaseHandle,
): Promise<{ doubtful: DoubtfulRun[]; isDelayOver: boolean }> {
  const { rows } = await sql<{ runs: DoubtfulRun[]; is_delay_over: boolean }>`
    with held as materialized (${HELD}), doubtful as (
      select tasks.id, run_token, worker_id, held.pid from tasks
      left join held on held.key = hashtextextended(tasks.id, 0)
      left join workers on workers.id = tasks.worker_id
      where ${IS_RUNNING} and (held.pid is null
        or coalesce(workers.seen_at, run_started_at) < now() - make_interval(secs => ${SILENT_SECONDS}))
    )
    select
      (select coalesce(json_agg(json_build_object('taskId', id, 'token', run_token, 'workerId', worker_id, 'silentPid', pid)), '[]')
        from doubtful) as runs,
      exists (select from tasks where ${IS_WAITING} and due_at <= now()) as is_delay_over`.execute(db);
  const { runs = [], is_delay_over = false } = rows[0] ?? {};
  return { doubtful: runs, isDelayOver: is_delay_over };
}

export async function terminateBackend(db: DatabaseHandle, pid: number): Promise<void> {
  await sql`select pg_terminate_backend(${pid})`.execute(db);
}
