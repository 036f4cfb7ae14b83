-- Links that show one Task to whoever has them. Of the token only its hash is kept.
create table task_shares (
  id         text primary key,
  task_id    text not null references tasks on delete cascade,
  token_hash bytea not null unique,
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  expires_at timestamptz not null
);
create index task_shares_task on task_shares (task_id, created_at);
create index task_shares_expires on task_shares (expires_at);
