-- For the sweep of Tasks that ended long ago, which begins with the oldest.
create index tasks_ended on tasks (completed_at) where completed_at is not null;

-- A target that goes looks here for what it leaves; without an index it would read the whole table each time.
create index task_sources_target on task_sources (target_id) where target_id is not null;
