import { sql } from "kysely";
import type { WorkerReport } from "../../domain/operation/worker-report.ts";
import type { DatabaseHandle } from "../database.ts";

/** Without a heartbeat for this long, a worker counts as dead; it sends one every ten seconds. */
const ALIVE_SECONDS = 30;
export const IS_ALIVE = sql<boolean>`seen_at > now() - make_interval(secs => ${ALIVE_SECONDS})`;
/** A dead worker stays in the list this long, so that an operator can see what it was doing. */
const KEPT_HOURS = 24;

export async function upsertWorker(db: DatabaseHandle, report: WorkerReport): Promise<void> {
  const changing = {
    seen_at: sql<Date>`now()`,
    task_id: report.task?.id ?? null,
    task_since: report.task?.since ?? null,
    memory_bytes: report.memoryBytes,
    engine_seconds: report.engineSeconds,
    audio_seconds: report.audioSeconds,
    networks: JSON.stringify(report.networks),
    fault: report.fault ?? null,
    disk_free_bytes: report.diskFreeBytes ?? null,
  };
  const { id, host, pid, version, machine = null } = report;
  await db
    .insertInto("workers")
    .values({ id, host, pid, version, machine, started_at: report.startedAt, ...changing })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(changing))
    // Not synced to disk: the next heartbeat repeats it.
    .returning(sql`set_config('synchronous_commit', 'off', true)`.as("setting"))
    .execute();
}

/** Deletes workers that died long ago; returns how many. */
export async function deleteDeadWorkers(db: DatabaseHandle): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from workers where seen_at < now() - make_interval(hours => ${KEPT_HOURS})`.execute(db);
  return Number(numAffectedRows ?? 0);
}

export async function deleteWorker(db: DatabaseHandle, id: string): Promise<void> {
  await db.deleteFrom("workers").where("id", "=", id).execute();
}

export async function listWorkers(db: DatabaseHandle) {
  return await db
    .selectFrom("workers")
    .selectAll()
    .select(IS_ALIVE.as("is_alive"))
    .orderBy("started_at")
    .orderBy("id")
    .execute();
}
