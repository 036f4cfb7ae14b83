-- When the engine expects to be done, by the pace of its work: it knows what an earlier run did and how long it read before it began, which
-- progress and the start of the run do not tell.
alter table targets drop column progress_at, add column expected_at timestamptz;
alter table tasks drop column run_start_progress;
