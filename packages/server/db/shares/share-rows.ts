import { MAX_SHARES } from "@stemwright/contract";
import { type Selectable, sql } from "kysely";
import type { SharedRecord, ShareRecord } from "../../domain/shares/share-record.ts";
import type { DatabaseHandle, Tables } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import { findTask } from "../tasks/task-rows.ts";

const COLUMNS = ["id", "created_at", "expires_at", "shows_name"] as const;
type ShareRow = Pick<Selectable<Tables["task_shares"]>, (typeof COLUMNS)[number]>;

const toShare = ({ id, created_at, expires_at, shows_name }: ShareRow): ShareRecord => ({
  id,
  createdAt: created_at,
  expiresAt: expires_at,
  showsName: shows_name,
});

/** Undefined if the Task has the maximum number or is gone. The Task's lock prevents two concurrent inserts from exceeding it. */
export async function insertShare(
  db: DatabaseHandle,
  taskId: string,
  share: { id: string; tokenHash: Buffer; expiresInSeconds: number; showsName: boolean },
): Promise<ShareRecord | undefined> {
  return await inTransaction(db, async (transaction) => {
    const held = await sql`select from tasks where id = ${taskId} for no key update`.execute(transaction);
    if (held.rows.length === 0) return undefined;
    const { rows } = await sql<ShareRow>`
      insert into task_shares (id, task_id, token_hash, expires_at, shows_name)
      select ${share.id}, ${taskId}, ${share.tokenHash}::bytea,
        date_trunc('milliseconds', now()) + ${share.expiresInSeconds} * interval '1 second', ${share.showsName}
      where (select count(*) from task_shares where task_id = ${taskId} and expires_at > now()) < ${MAX_SHARES}
      returning id, created_at, expires_at, shows_name`.execute(transaction);
    return rows[0] && toShare(rows[0]);
  });
}

export async function listShares(db: DatabaseHandle, taskId: string): Promise<ShareRecord[]> {
  const rows = await db
    .selectFrom("task_shares")
    .select(COLUMNS)
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

/** Unexpired shares of clients that are not suspended. */
const selectOpen = (db: DatabaseHandle) =>
  db
    .selectFrom("task_shares")
    .innerJoin("tasks", "tasks.id", "task_shares.task_id")
    .innerJoin("clients", "clients.id", "tasks.client_id")
    .select(["task_shares.task_id", ...COLUMNS.map((column) => `task_shares.${column}` as const)])
    .where("task_shares.expires_at", ">", sql<Date>`now()`)
    .where("clients.suspended_at", "is", null);

export async function findOpenShare(db: DatabaseHandle, id: string): Promise<ShareRecord | undefined> {
  const row = await selectOpen(db).where("task_shares.id", "=", id).executeTakeFirst();
  return row && toShare(row);
}

export async function findShared(db: DatabaseHandle, tokenHash: Buffer): Promise<SharedRecord | undefined> {
  const row = await selectOpen(db).where("task_shares.token_hash", "=", tokenHash).executeTakeFirst();
  const task = row && (await findTask(db, row.task_id));
  return task && { task, share: toShare(row) };
}

export async function deleteExpiredShares(db: DatabaseHandle, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from task_shares where id in (
      select id from task_shares where expires_at <= now() order by expires_at limit ${limit} for update skip locked)`.execute(
    db,
  );
  return Number(numAffectedRows);
}
