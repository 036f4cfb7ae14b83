-- A client's version of a target's words, beside the service's. It is deleted with the Task.
create table word_edits (
  target_id  text primary key references targets on delete cascade,
  -- Never decreases, so that an edit of an earlier version can't be taken for one of the current version.
  revision   integer not null check (revision > 0),
  -- JSON as text, since a word may contain what jsonb can't; null if the words are the service's again.
  document   text,
  updated_at timestamptz not null default date_trunc('milliseconds', now())
);

-- New times for gaps of edited words: short jobs that workers take beside their Tasks, free of charge. Cancelling one deletes its row.
create table realignments (
  id            text primary key,
  client_id     text not null references clients on delete cascade,
  task_id       text not null references tasks on delete cascade,
  target_id     text not null references targets on delete cascade,
  -- JSON as text.
  gap           text not null,
  status        text not null default 'processing' check (status in ('processing', 'completed', 'error')),
  lines         text,
  error_code    integer,
  error_message text,
  attempts      smallint not null default 0,
  -- The worker's current attempt; after this time another one may claim the job.
  run_token     text,
  claimed_at    timestamptz,
  claimed_until timestamptz,
  created_at    timestamptz not null default date_trunc('milliseconds', now())
);
create index realignments_processing on realignments (client_id, created_at) where status = 'processing';
create index realignments_task on realignments (task_id);
create index realignments_target on realignments (target_id);
create index realignments_created on realignments (created_at);

-- The next gap for a worker: one at a time per client, first of the client that was served least recently. One claim at a time, so that each sees the
-- previous one. Never compiled: see 06-claims.sql.
create function claim_realignment(given_token text, given_seconds integer, given_attempts_max integer, given_lifetime interval)
returns setof realignments
language plpgsql set jit = off as $$
begin
  -- See advisory-locks.ts.
  perform pg_advisory_xact_lock(7734214);
  return query
    update realignments set run_token = given_token, attempts = attempts + 1, claimed_at = now(),
      claimed_until = now() + given_seconds * interval '1 second'
    where id = (
      select id from realignments as next
      where status = 'processing' and coalesce(claimed_until <= now(), true) and attempts < given_attempts_max
        and created_at > now() - given_lifetime
        and not exists (
          select from realignments as other
          where other.client_id = next.client_id and other.status = 'processing' and other.claimed_until > now())
      order by (select max(claimed_at) from realignments as served where served.client_id = next.client_id) nulls first,
        created_at, id
      limit 1 for update skip locked)
    returning *;
end $$;
