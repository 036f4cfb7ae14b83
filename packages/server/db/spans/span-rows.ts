import { sql } from "kysely";
import type {
  SpanId,
  SpanOffers,
  SpanQueue,
  SpanRun,
  SpanState,
  SpanWork,
  StoredSpan,
  StoredSpanFile,
} from "../../domain/spans/span-record.ts";
import { RunLost, type TaskRun } from "../../domain/tasks/task-run.ts";
import type { DatabaseHandle } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import { IS_ALIVE } from "../operation/worker-rows.ts";
import { IS_TOO_NEW } from "../schema/schema-fault.ts";
import { notifyWaiting } from "../tasks/waiting-tasks.ts";

/** A helper that has not reported a span as held for this long has died. */
const CLAIM_SECONDS = 15;
/** A span that failed this often elsewhere is made by the Task's own worker, which can report why. */
const MAX_FAULTS = 2;

const IS_CLAIMED = sql`coalesce(claimed_until > now(), false)`;
const UNTIL = sql`now() + ${sql.lit(CLAIM_SECONDS)} * interval '1 second'`;

const isSpan = ({ part, index }: SpanId, taskId: string) =>
  sql`task_id = ${taskId} and part = ${part} and number = ${index}`;
const isRun = (run: SpanRun) => sql`${isSpan(run, run.taskId)} and run_token = ${run.token}`;
const isUnfinished = (taskId: string) =>
  sql`exists (select from tasks where id = ${taskId} and completed_at is null)`;

async function hasHelpers(db: DatabaseHandle, machine: string, workerId: string): Promise<boolean> {
  const { rows } = await sql`
    select from workers where machine = ${machine} and id <> ${workerId} and ${IS_ALIVE} limit 1`.execute(db);
  return rows.length > 0;
}

/** Locks the run's Task, so that a worker that lost it changes nothing. */
async function lockRun(db: DatabaseHandle, { taskId, token }: TaskRun): Promise<void> {
  const { rows } = await sql`
    select from tasks where id = ${taskId} and run_token = ${token} and completed_at is null for key share`.execute(
    db,
  );
  if (rows.length === 0) throw new RunLost();
}

async function offerSpans(
  db: DatabaseHandle,
  run: TaskRun,
  { parts, begun, inputKey, machine }: Parameters<SpanOffers["offer"]>[1] & { machine: string },
): Promise<void> {
  const { taskId } = run;
  await inTransaction(db, async (transaction) => {
    await lockRun(transaction, run);
    const works = parts.map(({ work }) => work);
    const keys = parts.map(({ key }) => key);
    // Spans of parts that changed are useless.
    await sql`
      delete from span_parts where task_id = ${taskId} and not (machine = ${machine} and exists (
        select from unnest(${keys}::text[], ${works}::text[]) as wanted (part, work)
        where wanted.part = span_parts.part and wanted.work = span_parts.work))`.execute(transaction);
    for (const [position, { key, work, spanCount, finishedSpans }] of parts.entries()) {
      await sql`
        insert into span_parts (task_id, part, position, work, input_key, machine)
        values (${taskId}, ${key}, ${position}, ${work}, ${inputKey}, ${machine})
        on conflict (task_id, part) do update set position = excluded.position, input_key = excluded.input_key`.execute(
        transaction,
      );
      const own = begun.filter(({ part }) => part === key).map(({ index }) => index);
      await sql`
        insert into spans (task_id, part, number, is_own)
        select ${taskId}, ${key}, number, number < ${finishedSpans} or number = any(${own}::int[])
        from generate_series(0, ${spanCount}::int - 1) as number
        on conflict (task_id, part, number) do update set is_own = spans.is_own or excluded.is_own`.execute(
        transaction,
      );
    }
    // Idle workers look for Tasks first, then for spans.
    await notifyWaiting(transaction);
  });
}

type SpanRow = {
  part: string;
  number: number;
  share: number;
  stored_key: string | null;
  files: string | null;
};

async function listSpans(db: DatabaseHandle, taskId: string): Promise<SpanState[]> {
  const { rows } = await sql<SpanRow>`
    select part, number, stored_key, files,
      case when stored_key is not null then 1 when ${IS_CLAIMED} then share else 0 end as share
    from spans where task_id = ${taskId} and not is_own and (stored_key is not null or ${IS_CLAIMED})`.execute(
    db,
  );
  return rows.map(({ part, number, share, stored_key, files }) => ({
    part,
    index: number,
    share,
    ...(stored_key === null
      ? {}
      : { stored: { key: stored_key, files: JSON.parse(files ?? "[]") as StoredSpanFile[] } }),
  }));
}

async function takeOwn(db: DatabaseHandle, run: TaskRun, span: SpanId): Promise<boolean> {
  const { rows } = await sql<{ is_own: boolean }>`
    with taken as (
      update spans set is_own = true where ${isSpan(span, run.taskId)} and stored_key is null
        and (is_own or not ${IS_CLAIMED})
      returning number)
    select exists (select from taken) or not exists (select from spans where ${isSpan(span, run.taskId)}) as is_own`.execute(
    db,
  );
  return rows[0]?.is_own ?? true;
}

async function reclaimSpan(db: DatabaseHandle, { taskId }: TaskRun, span: SpanId): Promise<void> {
  await sql`
    update spans set is_own = true, stored_key = null, files = null where ${isSpan(span, taskId)}`.execute(
    db,
  );
}

async function hasSpans(db: DatabaseHandle, taskId: string): Promise<boolean> {
  const { rows } = await sql`select from span_parts where task_id = ${taskId} limit 1`.execute(db);
  return rows.length > 0;
}

/** A span run in progress deletes its own span. */
export async function forgetSpans(db: DatabaseHandle, taskId: string): Promise<void> {
  await sql`
    with ended as (delete from spans where task_id = ${taskId} and not (${IS_CLAIMED} and stored_key is null))
    delete from span_parts where task_id = ${taskId} and not exists (
      select from spans where spans.task_id = ${taskId} and spans.part = span_parts.part
        and coalesce(claimed_until > now(), false) and stored_key is null)`.execute(db);
}

/** Finished Tasks with leftover spans: their worker or a helper died. */
export async function listLeftSpans(db: DatabaseHandle, limit: number): Promise<string[]> {
  const { rows } = await sql<{ task_id: string }>`
    select distinct task_id from span_parts join tasks on tasks.id = task_id
    where completed_at is not null and not exists (
      select from spans where spans.task_id = span_parts.task_id and ${IS_CLAIMED} and stored_key is null)
    limit ${limit}`.execute(db);
  return rows.map(({ task_id }) => task_id);
}

/**
 * A span for an idle worker. The client with the fewest helpers goes first, then the oldest Task; within a Task the last span, since its own worker starts
 * at the front. Only of Tasks whose samples would be the same if this worker made all of them.
 */
async function claimSpan(
  db: DatabaseHandle,
  { token, workerId, exceptTaskIds, machine }: Parameters<SpanQueue["claim"]>[0] & { machine: string },
): Promise<SpanWork | undefined> {
  const { rows } = await sql<{
    task_id: string;
    part: string;
    number: number;
    work: string;
    input_key: string;
  }>`
    with helped as (
      select client_id, count(*) as workers from spans join tasks on tasks.id = task_id
      where ${IS_CLAIMED} and stored_key is null group by client_id
    ), next as (
      select spans.task_id, spans.part, number, work, input_key from spans
      join span_parts on span_parts.task_id = spans.task_id and span_parts.part = spans.part
      join tasks on tasks.id = spans.task_id
      left join helped on helped.client_id = tasks.client_id
      where stored_key is null and not is_own and not ${IS_CLAIMED} and faults < ${MAX_FAULTS}
        and completed_at is null and machine = ${machine} and spans.task_id <> all(${exceptTaskIds}::text[]) and not ${IS_TOO_NEW}
      order by coalesce(helped.workers, 0), tasks.created_at, spans.task_id, position desc, number desc
      limit 1 for update of spans skip locked
    )
    update spans set run_token = ${token}, worker_id = ${workerId}, claimed_until = ${UNTIL}, share = 0
    from next where spans.task_id = next.task_id and spans.part = next.part and spans.number = next.number
    returning spans.task_id, spans.part, spans.number, next.work, next.input_key`.execute(db);
  const row = rows[0];
  return (
    row && {
      taskId: row.task_id,
      part: row.part,
      index: row.number,
      token,
      work: row.work,
      inputKey: row.input_key,
    }
  );
}

async function holdSpan(db: DatabaseHandle, run: SpanRun, share: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update spans set claimed_until = ${UNTIL}, share = ${share}
    where ${isRun(run)} and not is_own and ${isUnfinished(run.taskId)}`.execute(db);
  return numAffectedRows > 0n;
}

async function endSpan(db: DatabaseHandle, run: SpanRun, { key, files }: StoredSpan): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update spans set claimed_until = null, share = 1, stored_key = ${key}, files = ${JSON.stringify(files)}
    where ${isRun(run)} and not is_own and ${isUnfinished(run.taskId)}`.execute(db);
  return numAffectedRows > 0n;
}

/** Deletes the span of a finished Task. The others stay until their files are deleted: without rows, nothing would find those. */
async function forgetSpan(db: DatabaseHandle, run: SpanRun): Promise<void> {
  await sql`
    with ended as (delete from spans where ${isRun(run)} and stored_key is null)
    delete from span_parts where task_id = ${run.taskId} and part = ${run.part} and not exists (
      select from spans where spans.task_id = ${run.taskId} and spans.part = ${run.part} and number <> ${run.index})`.execute(
    db,
  );
}

async function releaseSpan(
  db: DatabaseHandle,
  run: SpanRun,
  { isFault }: { isFault: boolean },
): Promise<void> {
  const { rows } = await sql`select where ${isUnfinished(run.taskId)}`.execute(db);
  if (rows.length === 0) return await forgetSpan(db, run);
  await sql`
    update spans set run_token = null, worker_id = null, claimed_until = null, share = 0, faults = faults + ${isFault ? 1 : 0}
    where ${isRun(run)} and stored_key is null`.execute(db);
  await notifyWaiting(db);
}

export const makeSpanOffers = (db: DatabaseHandle, machine: string): SpanOffers => ({
  hasHelpers: (workerId) => hasHelpers(db, machine, workerId),
  offer: (run, offer) => offerSpans(db, run, { ...offer, machine }),
  list: (taskId) => listSpans(db, taskId),
  takeOwn: (run, span) => takeOwn(db, run, span),
  reclaim: (run, span) => reclaimSpan(db, run, span),
  hasSpans: (taskId) => hasSpans(db, taskId),
  forget: (taskId) => forgetSpans(db, taskId),
});

export const makeSpanQueue = (db: DatabaseHandle, machine: string): SpanQueue => ({
  claim: (claim) => claimSpan(db, { ...claim, machine }),
  hold: (run, share) => holdSpan(db, run, share),
  end: (run, stored) => endSpan(db, run, stored),
  release: (run, options) => releaseSpan(db, run, options),
});
