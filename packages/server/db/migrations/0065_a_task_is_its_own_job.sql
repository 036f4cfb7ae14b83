-- The Task is the job: whoever reads this table knows what is due, and nothing else has to be kept equal with it.
drop schema if exists pgboss cascade;

alter table tasks
  -- As the client gave it; without one a Task counts as 5.
  add column priority               smallint check (priority between 0 and 9),
  -- Known for assets when the Task is created, for other inputs once a worker has read them.
  add column expected_audio_seconds double precision,
  -- Too long for the lane that is kept free for short Tasks.
  add column is_long                boolean not null default false,
  -- Attempts since one last got the Task further, the one under way counted, and how far the Task was when that began.
  add column attempts               smallint not null default 0,
  add column attempt_mark           real not null default 0,
  -- The Task waits, but not to be taken before then; the supervisor empties it when the time has come.
  add column due_at                 timestamptz,
  -- The run under way and the worker it is of; null while the Task waits.
  add column run_token              text,
  add column worker_id              text,
  -- What ended the last attempt that counted.
  add column last_error_name        text;

-- Nobody works on a Task now that the jobs are gone: what was under way waits.
update tasks set run_started_at = null where completed_at is null and run_started_at is not null;

-- None of these holds a finished Task, so taking the next one costs the same whatever was done before.
drop index tasks_waiting;
create index tasks_waiting on tasks (client_id, is_long, (-coalesce(priority, 5)), created_at, id)
  where completed_at is null and run_token is null;
create index tasks_waiting_oldest on tasks (created_at) where completed_at is null and run_token is null;
create index tasks_delayed on tasks (due_at) where completed_at is null and run_token is null and due_at is not null;
create index tasks_running on tasks (client_id) include (is_long) where completed_at is null and run_token is not null;

-- How far a Task is: its ended targets, and the share of those that are not.
create function task_mark(given_task_id text) returns real language sql stable as $$
  select coalesce(sum(case when status = 'processing' then progress else 1 end), 0)::real
  from targets where task_id = given_task_id
$$;
