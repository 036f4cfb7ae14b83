import { sql } from "kysely";
import type { PreviewRecord } from "../../domain/previews/preview-record.ts";
import type { TaskRun } from "../../domain/tasks/task-run.ts";
import type { DatabaseHandle } from "../database.ts";

export async function findPreviews(db: DatabaseHandle, taskId: string): Promise<PreviewRecord | undefined> {
  const { rows } = await sql<PreviewRecord>`
    select version, shape, chunks, size_bytes as "sizeBytes" from task_previews where task_id = ${taskId}`.execute(
    db,
  );
  return rows[0];
}

/** Does nothing if the run is no longer the Task's. */
export async function setPreviews(
  db: DatabaseHandle,
  { taskId, token }: TaskRun,
  { version, shape, chunks, sizeBytes }: PreviewRecord,
): Promise<void> {
  await sql`
    insert into task_previews (task_id, client_id, version, shape, chunks, size_bytes)
    select id, client_id, ${version}, ${JSON.stringify(shape)}::jsonb, ${JSON.stringify(chunks)}::jsonb, ${sizeBytes}
    from tasks where id = ${taskId} and run_token = ${token} for key share
    on conflict (task_id) do update set version = excluded.version, shape = excluded.shape, chunks = excluded.chunks,
      size_bytes = excluded.size_bytes`.execute(db);
}

/** Runs in the transaction that removes the Tasks' outputs, which include the previews' files. */
export async function deletePreviews(db: DatabaseHandle, taskIds: readonly string[]): Promise<void> {
  await sql`delete from task_previews where task_id = any(${taskIds})`.execute(db);
}
