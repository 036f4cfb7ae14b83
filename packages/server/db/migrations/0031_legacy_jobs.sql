alter table tasks add column started_at timestamptz;

-- What a job of the Jobs interface has beside its Task, whose id it shares.
create table legacy_jobs (
  task_id      text primary key references tasks on delete cascade,
  request_id   text not null,
  callback_url text,
  metadata     jsonb not null
);
