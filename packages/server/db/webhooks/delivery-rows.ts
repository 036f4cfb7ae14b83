import type { DeliveryFilter, LegacyJobStatus } from "@stemwright/contract";
import { type Selectable, sql } from "kysely";
import { makeId } from "../../domain/ids.ts";
import type { Listed } from "../../domain/ports.ts";
import type { DeliveryBody } from "../../domain/webhooks/delivery-body.ts";
import type { DeliveryRecord } from "../../domain/webhooks/webhook-record.ts";
import type { DatabaseHandle, Tables } from "../database.ts";
import { listPage } from "../list-page.ts";
import { findWebhook } from "./webhook-rows.ts";

type DeliveryRow = Selectable<Tables["deliveries"]>;

const toDeliveryRecord = (row: DeliveryRow): DeliveryRecord => ({
  id: row.id,
  clientId: row.client_id,
  ...(row.webhook_id === null ? {} : { webhookId: row.webhook_id }),
  event: row.event,
  ...(row.task_id === null ? {} : { taskId: row.task_id }),
  ...(row.target_id === null ? {} : { targetId: row.target_id }),
  ...(row.job_status === null ? {} : { jobStatus: row.job_status }),
  url: row.url,
  state: row.state,
  attempts: row.attempts,
  createdAt: row.created_at,
  dueAt: row.due_at,
  ...(row.last_attempt_at === null ? {} : { lastAttemptAt: row.last_attempt_at }),
  ...(row.last_status_code === null ? {} : { lastStatusCode: row.last_status_code }),
  ...(row.last_error === null ? {} : { lastError: row.last_error }),
});

/**
 * Inserts the delivery for a target's end, in the transaction that ends it: to the Task's own URL, else to the account's, else none. A legacy job notifies
 * its callback URL instead, and a temporary Task whoever waits for it.
 */
export async function insertTargetDelivery(
  db: DatabaseHandle,
  { taskId, targetId }: { taskId: string; targetId: string },
): Promise<void> {
  await sql`
    insert into deliveries (id, client_id, webhook_id, task_id, target_id, event, url)
    select ${makeId()}, tasks.client_id, case when tasks.webhook_url is null then webhooks.id end,
      tasks.id, ${targetId}, 'target', coalesce(tasks.webhook_url, webhooks.url)
    from tasks
    left join webhooks on webhooks.client_id = tasks.client_id and webhooks.enabled
    where tasks.id = ${taskId} and coalesce(tasks.webhook_url, webhooks.url) is not null
      and not tasks.is_temporary
      and not exists (select from legacy_jobs where legacy_jobs.task_id = tasks.id)`.execute(db);
}

/** Inserts a delivery of a legacy job's status to its callback. Does nothing for other Tasks or without a callback URL. */
export async function insertJobDelivery(
  db: DatabaseHandle,
  { taskId, status }: { taskId: string; status: LegacyJobStatus },
): Promise<void> {
  await sql`
    insert into deliveries (id, client_id, task_id, event, job_status, url)
    select ${makeId()}, tasks.client_id, tasks.id, 'job', ${status}, legacy_jobs.callback_url
    from legacy_jobs join tasks on tasks.id = legacy_jobs.task_id
    where legacy_jobs.task_id = ${taskId} and legacy_jobs.callback_url is not null`.execute(db);
}

/** A call without a Task; sent even to a disabled URL, to find out whether it is back. */
export async function insertTestDelivery(
  db: DatabaseHandle,
  clientId: string,
  webhookId: string,
): Promise<DeliveryRecord | undefined> {
  const webhook = await findWebhook(db, clientId);
  if (webhook?.id !== webhookId) return undefined;
  const row = await db
    .insertInto("deliveries")
    .values({ id: makeId(), client_id: clientId, webhook_id: webhookId, event: "test", url: webhook.url })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toDeliveryRecord(row);
}

export async function listDeliveries(
  db: DatabaseHandle,
  clientId: string,
  filter: DeliveryFilter,
): Promise<Listed<DeliveryRecord>> {
  let query = db.selectFrom("deliveries").where("client_id", "=", clientId);
  if (filter.taskId !== undefined) query = query.where("task_id", "=", filter.taskId);
  if (filter.state !== undefined) query = query.where("state", "=", filter.state);
  const { total } = await query
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return await listPage(total, filter, async () => {
    const rows = await query
      .selectAll()
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .offset(filter.skip)
      .limit(filter.take)
      .execute();
    return rows.map(toDeliveryRecord);
  });
}

/** Makes a delivery due again with all its retries. One in flight is left alone. */
export async function replayDelivery(
  db: DatabaseHandle,
  clientId: string,
  id: string,
): Promise<DeliveryRecord | "disabled" | undefined> {
  const row = await db
    .selectFrom("deliveries")
    .selectAll()
    .where("id", "=", id)
    .where("client_id", "=", clientId)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return undefined;
  if (row.state === "pending" && row.claimed_until !== null && row.claimed_until > new Date())
    return toDeliveryRecord(row);
  const webhook = row.webhook_id === null ? undefined : await findWebhook(db, clientId);
  if (row.webhook_id !== null && !webhook?.isEnabled) return "disabled";
  const replayed = await db
    .updateTable("deliveries")
    .set({
      state: "pending",
      attempts: 0,
      due_at: sql`now()`,
      claimed_until: null,
      ...(webhook ? { webhook_id: webhook.id, url: webhook.url } : {}),
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return toDeliveryRecord(replayed);
}

/** Deletes log entries that are no longer pending and were last tried before then; returns how many. */
export async function deleteOldDeliveries(db: DatabaseHandle, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from deliveries where id in (
      select id from deliveries
      where state <> 'pending' and created_at < ${before} and coalesce(last_attempt_at, created_at) < ${before}
      order by created_at limit ${limit} for update skip locked)`.execute(db);
  return Number(numAffectedRows ?? 0);
}

export type ClaimLimits = { count: number; perReceiver: number; perClient: number; leaseMs: number };

/**
 * Claims due deliveries for the length of the lease; after it they are due again, whoever claimed them. The number in flight is limited per account and per
 * receiver, so that a slow one leaves room for others; two processes claiming at the same moment may exceed that by their number. A legacy job's calls stay
 * in order: a later one waits until the previous one has been tried.
 *
 * Receivers are walked one by one along the index, each yielding only what it may have: numbering everything due took 150 ms with 20,000 waiting for one
 * receiver.
 */
export async function claimDeliveries(db: DatabaseHandle, limits: ClaimLimits): Promise<DeliveryRecord[]> {
  const { rows } = await sql<DeliveryRow>`
    with recursive receivers as (
      (select receiver from deliveries where state = 'pending' order by receiver limit 1)
      union all
      select (select receiver from deliveries where state = 'pending' and receiver > receivers.receiver
        order by receiver limit 1)
      from receivers where receivers.receiver is not null
    ), busy as (
      select receiver, client_id from deliveries where state = 'pending' and claimed_until > now()
    ), due as (
      select waiting.*, row_number() over (partition by client_id order by due_at, id) as place
      from receivers cross join lateral (
        select id, client_id, due_at from deliveries
        where state = 'pending' and receiver = receivers.receiver and due_at <= now()
          and (event <> 'job' or not exists (
            select from deliveries as earlier
            where earlier.event = 'job' and earlier.task_id = deliveries.task_id and earlier.state = 'pending'
              and earlier.attempts = 0 and earlier.created_at < deliveries.created_at))
        order by due_at, id
        limit greatest(0, ${limits.perReceiver} - (select count(*) from busy where busy.receiver = receivers.receiver))
      ) as waiting
    ), chosen as (
      select id from due
      where place + (select count(*) from busy where busy.client_id = due.client_id) <= ${limits.perClient}
      order by due_at limit ${limits.count}
    ), locked as materialized (
      select id from deliveries
      where id in (select id from chosen) and state = 'pending' and due_at <= now()
      for update skip locked
    )
    update deliveries
    set due_at = now() + ${limits.leaseMs} * interval '1 millisecond',
      claimed_until = now() + ${limits.leaseMs} * interval '1 millisecond'
    where id in (select id from locked)
    returning *`.execute(db);
  return rows.map(toDeliveryRecord);
}

/** Returns a claimed delivery untried. */
export async function releaseDelivery(db: DatabaseHandle, id: string): Promise<void> {
  await db
    .updateTable("deliveries")
    .set({ due_at: sql`now()`, claimed_until: null })
    .where("id", "=", id)
    .where("state", "=", "pending")
    .execute();
}

export type AttemptResult =
  | { isDelivered: true; statusCode: number }
  | { isDelivered: false; statusCode?: number; error: string; retryInMs?: number };

/** Stores the request and response of a try, replacing the previous one's. */
export async function keepDeliveryBody(
  db: DatabaseHandle,
  id: string,
  { body, answer }: DeliveryBody,
): Promise<void> {
  // The delivery may have been deleted with its Task while in flight.
  await sql`
    insert into delivery_bodies (delivery_id, body, answer)
    select id, ${body}, ${answer ?? null} from deliveries where id = ${id}
    on conflict (delivery_id) do update set body = excluded.body, answer = excluded.answer`.execute(db);
}

export async function findDelivery(
  db: DatabaseHandle,
  clientId: string,
  id: string,
): Promise<(DeliveryRecord & { sent?: DeliveryBody }) | undefined> {
  const row = await db
    .selectFrom("deliveries")
    .leftJoin("delivery_bodies", "delivery_bodies.delivery_id", "deliveries.id")
    .selectAll("deliveries")
    .select(["delivery_bodies.body", "delivery_bodies.answer"])
    .where("deliveries.id", "=", id)
    .where("deliveries.client_id", "=", clientId)
    .executeTakeFirst();
  if (!row) return undefined;
  const { body, answer } = row;
  return {
    ...toDeliveryRecord(row),
    ...(body === null ? {} : { sent: { body, ...(answer === null ? {} : { answer }) } }),
  };
}

/** Records a try; a failed one without a next time is the last. */
export async function recordAttempt(db: DatabaseHandle, id: string, result: AttemptResult): Promise<void> {
  const retryInMs = result.isDelivered ? undefined : result.retryInMs;
  await db
    .updateTable("deliveries")
    .set({
      state: result.isDelivered ? "delivered" : retryInMs === undefined ? "failed" : "pending",
      attempts: sql`attempts + 1`,
      last_attempt_at: sql`now()`,
      last_status_code: result.statusCode ?? null,
      last_error: result.isDelivered ? null : result.error,
      claimed_until: null,
      ...(retryInMs === undefined ? {} : { due_at: sql`now() + ${retryInMs} * interval '1 millisecond'` }),
    })
    .where("id", "=", id)
    .where("state", "=", "pending")
    .execute();
}
