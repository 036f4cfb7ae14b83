-- What statistics are read from: a row for each client, month (UTC) and model, added to in the transaction that completes a
-- target. It outlives deleted Tasks, and stays small: a million targets over a year are a few hundred rows.
create table usage_by_month (
  client_id     text not null references clients on delete cascade,
  month         date not null,
  model         text not null,
  total_targets bigint not null,
  total_seconds numeric(20, 6) not null,
  total_credits numeric(20, 6) not null,
  primary key (client_id, month, model)
);

insert into usage_by_month
select tasks.client_id, date_trunc('month', targets.finished_at at time zone 'UTC')::date, targets.model,
       count(*), sum(round(targets.duration_seconds::numeric, 6)), sum(targets.cost)
from targets join tasks on tasks.id = targets.task_id
where targets.status = 'completed'
group by 1, 2, 3;
