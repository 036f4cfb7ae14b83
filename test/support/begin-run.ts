import { sql } from "kysely";
import type { Database } from "../../packages/server/db/database.ts";
import { startRun } from "../../packages/server/db/tasks/task-run-rows.ts";
import { makeId } from "../../packages/server/domain/ids.ts";
import type { TaskRun } from "../../packages/server/domain/tasks/task-run.ts";

/** Marks a Task as claimed by a worker, even out of turn, without taking its lock. */
export async function takeTask(db: Database, taskId: string): Promise<TaskRun> {
  const token = makeId();
  await sql`update tasks set run_token = ${token}, worker_id = 'test', run_started_at = now(), attempts = attempts + 1,
    attempt_start_progress = task_progress(id) where id = ${taskId}`.execute(db);
  return { taskId, token };
}

/** The same, with the run started. */
export async function beginRun(db: Database, taskId: string): Promise<TaskRun> {
  const run = await takeTask(db, taskId);
  await db.transaction().execute((transaction) => startRun(transaction, run));
  return run;
}
