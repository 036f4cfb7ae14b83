-- One URL for each account. The secret is the account's, not the URL's: it also signs the calls to a Task's own URL.
create table webhooks (
  id         text primary key,
  client_id  text not null unique references clients on delete cascade,
  url        text not null,
  enabled    boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table webhook_secrets (
  client_id      text primary key references clients on delete cascade,
  secret         bytea not null,
  -- Signs too, until then, so that a receiver has time to learn the new one.
  previous       bytea,
  previous_until timestamptz
);

-- A delivery is its own job: it is due at due_at, and whoever takes it moves that past the longest time a try can last.
create table deliveries (
  id               text primary key,
  client_id        text not null references clients on delete cascade,
  -- The account's URL it goes to; null where the Task brought its own.
  webhook_id       text,
  task_id          text references tasks on delete cascade,
  target_id        text,
  event            text not null check (event in ('target', 'job', 'test')),
  -- Which change of a legacy job it tells.
  job_status       text check (job_status in ('processing', 'completed', 'failed')),
  url              text not null,
  -- Account, host and port: what the limit of calls at once is counted by. Two accounts that use the same host, such as that
  -- of a large automation service, do not wait for each other.
  receiver         text not null generated always as (
    client_id || ' ' || coalesce(lower(substring(url from '^[^:]*://(?:[^/?#]*@)?([^/?#]*)')), '')) stored,
  state            text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts         integer not null default 0,
  due_at           timestamptz not null default now(),
  claimed_until    timestamptz,
  last_attempt_at  timestamptz,
  last_status_code integer,
  last_error       text,
  created_at       timestamptz not null default clock_timestamp()
);
create index deliveries_due on deliveries (receiver, due_at, id) where state = 'pending';
create index deliveries_claimed on deliveries (claimed_until) where state = 'pending' and claimed_until is not null;
create index deliveries_newest on deliveries (client_id, created_at desc, id desc);
create index deliveries_of_task on deliveries (task_id);
