-- One URL per account. The secret belongs to the account, not to the URL: it also signs calls to a Task's own URL.
create table webhooks (
  id         text primary key,
  client_id  text not null unique references clients on delete cascade,
  url        text not null,
  enabled    boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Encrypted with a key that is not in this database.
create table webhook_secrets (
  client_id      text primary key references clients on delete cascade,
  secret         bytea not null,
  -- Also signs, until then, so that receivers have time to switch.
  previous       bytea,
  previous_until timestamptz
);

-- A delivery is its own job: it is due at due_at, and claiming it moves that past the longest time a try can take.
create table deliveries (
  id               text primary key,
  client_id        text not null references clients on delete cascade,
  -- The account's webhook; null if the Task has its own URL.
  webhook_id       text,
  task_id          text references tasks on delete cascade,
  target_id        text,
  event            text not null check (event in ('target', 'job', 'test')),
  -- Which change of a legacy job it reports.
  job_status       text check (job_status in ('processing', 'completed', 'failed')),
  url              text not null,
  -- Account, host and port, by which concurrent calls are limited. Two accounts that use the same host, such as that of a large automation service, do
  -- not wait for each other.
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
-- For the sweep, oldest first.
create index deliveries_oldest on deliveries (created_at) where state <> 'pending';

-- What the last try of a delivery sent, and the receiver's response: apart from the log, whose pages need neither.
create table delivery_bodies (
  delivery_id text primary key references deliveries on delete cascade,
  body        text not null,
  answer      text
);
