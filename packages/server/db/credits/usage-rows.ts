import type { DistributionRow, UsageRow } from "@stemwright/contract";
import { sql } from "kysely";
import type { DatabaseHandle } from "../database.ts";

/** Adds a completed target to the totals of its month: when it ended, in UTC whatever the session's time zone. */
export async function addUsage(
  db: DatabaseHandle,
  target: {
    clientId: string;
    taskId: string;
    model: string;
    durationSeconds: number;
    cost: number;
    finishedAt: Date;
  },
): Promise<void> {
  const { clientId, taskId, model, durationSeconds, cost, finishedAt } = target;
  await sql`
    insert into usage_by_month
      (client_id, month, model, total_targets, total_seconds, total_credits, job_targets, job_seconds)
    select ${clientId}, date_trunc('month', ${finishedAt.toISOString()}::timestamptz at time zone 'UTC')::date, ${model},
      1, seconds, ${cost}::numeric, is_job::int, seconds * is_job::int
    from (values (
      round(${durationSeconds}::numeric, 6), exists (select from legacy_jobs where task_id = ${taskId})
    )) as target (seconds, is_job)
    on conflict (client_id, month, model) do update set
      total_targets = usage_by_month.total_targets + 1,
      total_seconds = usage_by_month.total_seconds + excluded.total_seconds,
      total_credits = usage_by_month.total_credits + excluded.total_credits,
      job_targets = usage_by_month.job_targets + excluded.job_targets,
      job_seconds = usage_by_month.job_seconds + excluded.job_seconds`.execute(db);
}

/** One row per month with usage, newest first. `since` is the first month, as YYYY-MM. */
export async function listUsage(
  db: DatabaseHandle,
  clientId: string,
  since: string | undefined,
): Promise<UsageRow[]> {
  const { rows } = await sql<UsageRow>`
    select to_char(month, 'YYYY-MM') as month,
           sum(total_targets)::bigint as "totalTargets",
           round(sum(total_seconds) / 60, 2)::text as "totalMinutes"
    from usage_by_month
    where client_id = ${clientId} and month >= ${toFirstDay(since)}::date
    group by usage_by_month.month
    order by usage_by_month.month desc`.execute(db);
  return rows;
}

/** One row per model used, most used first. */
export async function listDistribution(
  db: DatabaseHandle,
  clientId: string,
  since: string | undefined,
): Promise<DistributionRow[]> {
  const { rows } = await sql<DistributionRow>`
    select model,
           sum(total_targets)::bigint as "totalTargets",
           round(sum(total_seconds) / 60, 2)::text as "totalMinutes",
           sum(total_credits) as "totalCredits"
    from usage_by_month
    where client_id = ${clientId} and month >= ${toFirstDay(since)}::date
    group by model
    order by sum(total_targets) desc, sum(total_seconds) desc, model`.execute(db);
  return rows;
}

const toFirstDay = (month: string | undefined) => (month === undefined ? "-infinity" : `${month}-01`);
