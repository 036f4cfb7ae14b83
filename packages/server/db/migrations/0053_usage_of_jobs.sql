-- How much of a month's totals were jobs of the Jobs interface, which tells of its own; these too outlive deleted Tasks.
alter table usage_by_month
  add column job_targets bigint not null default 0,
  add column job_seconds numeric(20, 6) not null default 0;

update usage_by_month set job_targets = jobs.targets, job_seconds = jobs.seconds
from (
  select tasks.client_id, date_trunc('month', targets.finished_at at time zone 'UTC')::date as month, targets.model,
         count(*) as targets, sum(round(targets.duration_seconds::numeric, 6)) as seconds
  from legacy_jobs
  join tasks on tasks.id = legacy_jobs.task_id
  join targets on targets.task_id = tasks.id
  where targets.status = 'completed'
  group by 1, 2, 3
) as jobs
where usage_by_month.client_id = jobs.client_id and usage_by_month.month = jobs.month
  and usage_by_month.model = jobs.model;
