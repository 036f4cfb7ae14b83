import type { TargetStatus } from "@stemwright/contract";
import { sql } from "kysely";
import type {
  GapWork,
  NewRealignment,
  RealignmentEnd,
  RealignmentQueue,
  RealignmentRecord,
  RealignmentRun,
} from "../../domain/words/realignment-record.ts";
import type { WordsLine } from "../../domain/words/words-record.ts";
import type { DatabaseHandle } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import { notifyGap } from "../tasks/waiting-tasks.ts";

/** Per client, including those in progress. */
const MAX_WAITING = 20;
const MAX_ATTEMPTS = 3;
/** A worker that has not reported for this long has died. */
const CLAIM_SECONDS = 15;
/** A page that waits longer has been closed. */
const LIFETIME = sql`interval '10 minutes'`;
const KEPT = sql`interval '1 hour'`;

const IS_CLAIMED = sql`coalesce(claimed_until > now(), false)`;
const IS_ABANDONED = sql<boolean>`status = 'processing' and not ${IS_CLAIMED}
  and (attempts >= ${sql.lit(MAX_ATTEMPTS)} or created_at <= now() - ${LIFETIME})`;

type RealignmentRow = {
  id: string;
  status: TargetStatus;
  created_at: Date;
  lines: string | null;
  error_code: number | null;
  error_message: string | null;
  is_abandoned: boolean;
};
const COLUMNS = sql`id, status, created_at, lines, error_code, error_message, ${IS_ABANDONED} as is_abandoned`;

const toRecord = (row: RealignmentRow): RealignmentRecord => ({
  id: row.id,
  status: row.status,
  createdAt: row.created_at,
  isAbandoned: row.is_abandoned,
  ...(row.lines === null ? {} : { lines: JSON.parse(row.lines) as WordsLine[] }),
  ...(row.error_code === null ? {} : { error: { code: row.error_code, message: row.error_message ?? "" } }),
});

/** Undefined if the client has too many waiting or the target is gone. The client's lock prevents two concurrent inserts from exceeding the limit. */
export async function insertRealignment(
  db: DatabaseHandle,
  { id, clientId, taskId, targetId, gap }: NewRealignment,
): Promise<RealignmentRecord | undefined> {
  return await inTransaction(db, async (transaction) => {
    await sql`select from clients where id = ${clientId} for no key update`.execute(transaction);
    const { rows } = await sql<RealignmentRow>`
      insert into realignments (id, client_id, task_id, target_id, gap)
      select ${id}, ${clientId}, task_id, targets.id, ${JSON.stringify(gap)} from targets
      where targets.id = ${targetId} and task_id = ${taskId} and (
        select count(*) from realignments
        where client_id = ${clientId} and status = 'processing' and not (${IS_ABANDONED})) < ${MAX_WAITING}
      for key share
      returning ${COLUMNS}`.execute(transaction);
    await notifyGap(transaction);
    return rows[0] && toRecord(rows[0]);
  });
}

export async function findRealignment(
  db: DatabaseHandle,
  targetId: string,
  id: string,
): Promise<RealignmentRecord | undefined> {
  const { rows } = await sql<RealignmentRow>`
    select ${COLUMNS} from realignments where id = ${id} and target_id = ${targetId}`.execute(db);
  return rows[0] && toRecord(rows[0]);
}

export async function deleteRealignment(db: DatabaseHandle, targetId: string, id: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from realignments where id = ${id} and target_id = ${targetId}`.execute(db);
  return numAffectedRows > 0n;
}

/** The next gap for a worker: one at a time per client, from the client served least recently. */
async function claimRealignment(db: DatabaseHandle, token: string): Promise<RealignmentRun | undefined> {
  const { rows } = await sql<{
    id: string;
    client_id: string;
    task_id: string;
    target_id: string;
    gap: string;
  }>`
    select id, client_id, task_id, target_id, gap
    from claim_realignment(${token}, ${CLAIM_SECONDS}, ${MAX_ATTEMPTS}, ${LIFETIME})`.execute(db);
  const row = rows[0];
  return (
    row && {
      id: row.id,
      clientId: row.client_id,
      taskId: row.task_id,
      targetId: row.target_id,
      gap: JSON.parse(row.gap) as GapWork,
      token,
    }
  );
}

/** Reports that a worker is still on it; false if it was cancelled or taken over. */
async function holdRealignment(db: DatabaseHandle, { id, token }: RealignmentRun): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update realignments set claimed_until = now() + ${CLAIM_SECONDS} * interval '1 second'
    where id = ${id} and run_token = ${token} and status = 'processing'`.execute(db);
  return numAffectedRows > 0n;
}

async function endRealignment(
  db: DatabaseHandle,
  { id, token }: RealignmentRun,
  end: RealignmentEnd,
): Promise<void> {
  const { lines = null, error = null } = { lines: undefined, error: undefined, ...end };
  await sql`
    update realignments set status = ${error ? "error" : "completed"}, lines = ${lines && JSON.stringify(lines)},
      error_code = ${error?.code ?? null}, error_message = ${error?.message ?? null}, claimed_until = null
    where id = ${id} and run_token = ${token} and status = 'processing'`.execute(db);
}

/** Releases it for another worker; an attempt that was nobody's fault is not counted. */
async function releaseRealignment(
  db: DatabaseHandle,
  { id, token }: RealignmentRun,
  { isFault }: { isFault: boolean },
): Promise<void> {
  await sql`
    update realignments set run_token = null, claimed_until = null, attempts = attempts - ${isFault ? 0 : 1}
    where id = ${id} and run_token = ${token} and status = 'processing'`.execute(db);
  await notifyGap(db);
}

/** Deletes abandoned realignments; returns how many. */
export async function deleteOldRealignments(db: DatabaseHandle, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from realignments where id in (
      select id from realignments where created_at <= now() - ${KEPT} order by created_at limit ${limit} for update skip locked)`.execute(
    db,
  );
  return Number(numAffectedRows);
}

export const makeRealignmentQueue = (db: DatabaseHandle): RealignmentQueue => ({
  claim: (token) => claimRealignment(db, token),
  hold: (run) => holdRealignment(db, run),
  end: (run, end) => endRealignment(db, run, end),
  release: (run, options) => releaseRealignment(db, run, options),
});
