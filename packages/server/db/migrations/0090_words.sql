-- A client's own version of a target's words. It stands beside what the service wrote, and goes with the Task.
create table word_edits (
  target_id  text primary key references targets on delete cascade,
  -- Never taken back, so that an edit of a version that is gone can't be taken for one of the present version.
  revision   integer not null check (revision > 0),
  -- JSON as text, since a word may hold what jsonb does not; null where the words are again those of the service.
  document   text,
  updated_at timestamptz not null default date_trunc('milliseconds', now())
);

-- New times for stretches of edited words: short jobs that workers take beside their Tasks, and that nobody pays for. Cancelling one
-- deletes its row.
create table realignments (
  id            text primary key,
  client_id     text not null references clients on delete cascade,
  task_id       text not null references tasks on delete cascade,
  target_id     text not null references targets on delete cascade,
  -- JSON as text.
  stretch       text not null,
  status        text not null default 'processing' check (status in ('processing', 'completed', 'error')),
  lines         text,
  error_code    integer,
  error_message text,
  attempts      smallint not null default 0,
  -- The worker's attempt under way; its job is taken by another when the time is over.
  run_token     text,
  claimed_at    timestamptz,
  claimed_until timestamptz,
  created_at    timestamptz not null default date_trunc('milliseconds', now())
);
create index realignments_processing on realignments (client_id, created_at) where status = 'processing';
create index realignments_task on realignments (task_id);
create index realignments_target on realignments (target_id);
create index realignments_created on realignments (created_at);
