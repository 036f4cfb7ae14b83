import { SHARES_MAX } from "@stemwright/contract";
import { sql } from "kysely";
import type { ShareRecord } from "../../domain/shares/share-record.ts";
import type { TaskRecord } from "../../domain/tasks/task-record.ts";
import type { DatabaseHandle } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import { findTask } from "../tasks/task-rows.ts";

type ShareRow = { id: string; created_at: Date; expires_at: Date };

const toShare = ({ id, created_at, expires_at }: ShareRow): ShareRecord => ({
  id,
  createdAt: created_at,
  expiresAt: expires_at,
});

/** Undefined if the Task has the maximum number or is gone. The Task's lock prevents two concurrent inserts from exceeding it. */
export async function insertShare(
  db: DatabaseHandle,
  taskId: string,
  { id, tokenHash, expiresInSeconds }: { id: string; tokenHash: Buffer; expiresInSeconds: number },
): Promise<ShareRecord | undefined> {
  return await inTransaction(db, async (transaction) => {
    const held = await sql`select from tasks where id = ${taskId} for no key update`.execute(transaction);
    if (held.rows.length === 0) return undefined;
    const { rows } = await sql<ShareRow>`
      insert into task_shares (id, task_id, token_hash, expires_at)
      select ${id}, ${taskId}, ${tokenHash}::bytea,
        date_trunc('milliseconds', now()) + ${expiresInSeconds} * interval '1 second'
      where (select count(*) from task_shares where task_id = ${taskId} and expires_at > now()) < ${SHARES_MAX}
      returning id, created_at, expires_at`.execute(transaction);
    return rows[0] && toShare(rows[0]);
  });
}

export async function listShares(db: DatabaseHandle, taskId: string): Promise<ShareRecord[]> {
  const rows = await db
    .selectFrom("task_shares")
    .select(["id", "created_at", "expires_at"])
    .where("task_id", "=", taskId)
    .where("expires_at", ">", sql<Date>`now()`)
    .orderBy("created_at", "desc")
    .orderBy("id")
    .execute();
  return rows.map(toShare);
}

export async function deleteShare(db: DatabaseHandle, taskId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("task_shares")
    .where("id", "=", id)
    .where("task_id", "=", taskId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function findShared(
  db: DatabaseHandle,
  tokenHash: Buffer,
): Promise<{ task: TaskRecord; expiresAt: Date } | undefined> {
  const row = await db
    .selectFrom("task_shares")
    .innerJoin("tasks", "tasks.id", "task_shares.task_id")
    .innerJoin("clients", "clients.id", "tasks.client_id")
    .select(["task_shares.task_id", "task_shares.expires_at"])
    .where("task_shares.token_hash", "=", tokenHash)
    .where("task_shares.expires_at", ">", sql<Date>`now()`)
    .where("clients.suspended_at", "is", null)
    .executeTakeFirst();
  const task = row && (await findTask(db, row.task_id));
  return task && { task, expiresAt: row.expires_at };
}

export async function deleteExpiredShares(db: DatabaseHandle, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from task_shares where id in (
      select id from task_shares where expires_at <= now() order by expires_at limit ${limit} for update skip locked)`.execute(
    db,
  );
  return Number(numAffectedRows);
}
