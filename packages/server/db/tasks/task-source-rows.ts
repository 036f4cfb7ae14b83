import { sql } from "kysely";
import type { TaskSource } from "../../domain/tasks/task-source.ts";
import type { DatabaseHandle } from "../database.ts";

export async function insertSources(
  db: DatabaseHandle,
  taskId: string,
  sources: readonly TaskSource[],
): Promise<void> {
  if (sources.length === 0) return;
  await db
    .insertInto("task_sources")
    .values(
      sources.map(({ targetId, blobKey, sealedLogin }) => ({
        task_id: taskId,
        target_id: targetId ?? null,
        blob_key: blobKey ?? null,
        sealed_login: sealedLogin ?? null,
      })),
    )
    .execute();
}

export async function listSources(db: DatabaseHandle, taskId: string): Promise<TaskSource[]> {
  const rows = await db.selectFrom("task_sources").selectAll().where("task_id", "=", taskId).execute();
  return rows.map(({ target_id, blob_key, sealed_login }) => ({
    ...(target_id === null ? {} : { targetId: target_id }),
    ...(blob_key === null ? {} : { blobKey: blob_key }),
    ...(sealed_login === null ? {} : { sealedLogin: sealed_login }),
  }));
}

/** A finished Task needs no input files any more, and passwords are kept no longer than needed. */
export async function deleteSourcesIfFinished(db: DatabaseHandle, taskId: string): Promise<void> {
  await sql`
    delete from task_sources using tasks
    where task_id = ${taskId} and tasks.id = task_id and tasks.completed_at is not null`.execute(db);
}
