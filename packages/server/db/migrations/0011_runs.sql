-- The run a worker is at now; null while the Task waits. Together with the progress the run began with it tells how long the rest will take.
alter table tasks
  add column run_started_at     timestamptz,
  add column run_start_progress real;

-- The waiting line, oldest first, as the queue hands it out.
create index tasks_waiting on tasks (created_at, id) where completed_at is null and run_started_at is null;
