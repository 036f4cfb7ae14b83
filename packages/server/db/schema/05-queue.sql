-- Heartbeats of workers: one row each, renewed every few seconds, deleted by an orderly stop.
create table workers (
  id              text primary key,
  host            text not null,
  pid             integer not null,
  version         text not null,
  started_at      timestamptz not null,
  seen_at         timestamptz not null default now(),
  task_id         text,
  task_since      timestamptz,
  memory_bytes    bigint not null,
  -- How long the engine has worked since the start, and on how much audio.
  engine_seconds  double precision not null,
  audio_seconds   double precision not null,
  -- What its networks run on: [{ "name", "runsOn", "timesRealTime" }].
  networks        jsonb not null default '[]',
  -- The properties of the machine that decide the samples it computes; null if it makes no spans.
  machine         text,
  -- Why it takes no Task now, and the bytes free on its disk.
  fault           text,
  disk_free_bytes bigint
);

-- Clients share the workers by start-time fair queueing, weighted. A dispatch of a client has a start tag: the larger of the virtual time and the finish
-- tag of the client's previous dispatch. Its finish tag is 1,000,000 / weight later, in whole numbers, so that the order can be predicted without rounding.
-- The waiting client with the smallest start tag is next, and the virtual time becomes that tag. So an idle client neither starves nor saves up.
create table client_finish_tags (
  client_id  text primary key references clients on delete cascade,
  finish_tag bigint not null
) with (fillfactor = 50);

-- One row. It holds the setting because workers claim by it and the API predicts queue positions by what they used.
create table fair_queue (
  is_only            boolean primary key default true check (is_only),
  virtual_time       bigint not null default 0,
  client_running_max integer not null default 0
) with (fillfactor = 50);
insert into fair_queue default values;
