-- A Task is its own job: this table alone says what is due.
create table tasks (
  id                       text primary key,
  client_id                text not null references clients on delete cascade,
  -- The input: one of the two.
  asset_id                 text,
  url                      text,
  storage_integration_id   text,
  write_destination        text,
  webhook_url              text,
  -- As a JSON string literal, so that NUL and lone surrogates, which text can't hold, are returned byte for byte.
  metadata                 text,
  -- As the client gave it; null counts as 5.
  priority                 smallint check (priority between 0 and 9),
  -- Made for a request that waits for it, and deleted with it. What a killed API left is found by a sweep.
  is_temporary             boolean not null default false,
  created_at               timestamptz not null,
  started_at               timestamptz,
  completed_at             timestamptz,
  outputs_removed_at       timestamptz,

  -- Known for assets when the Task is created, for other inputs once a worker has read them.
  expected_audio_seconds   double precision,
  -- Long Tasks leave one worker free.
  is_long                  boolean not null default false,
  -- A Task that waits is not claimed before then; the supervisor clears it when the time has come.
  due_at                   timestamptz,

  -- The current run and its worker; null while the Task waits.
  run_token                text,
  worker_id                text,
  run_started_at           timestamptz,
  -- Attempts since one last advanced the Task, including the current one, and the progress at which that one began.
  attempts                 smallint not null default 0,
  attempt_start_progress   real not null default 0,
  -- What ended the last attempt that counted.
  last_error_name          text,
  -- Where in the store the last worker left what it had made, for a worker on another machine.
  checkpoint_key           text,
  -- How often a full disk has returned the Task since it last advanced, and the bytes it needs as far as known.
  disk_full_returns        smallint not null default 0,
  needed_disk_bytes        bigint,
  check ((asset_id is null) <> (url is null))
);
create index tasks_newest on tasks (client_id, created_at desc, id desc);
create index tasks_ended on tasks (completed_at) where completed_at is not null;
create index tasks_temporary on tasks (created_at) where is_temporary;
-- Inputs that unfinished Tasks need, and the integrations they use.
create index tasks_unfinished_assets on tasks (asset_id) where completed_at is null and asset_id is not null;
create index tasks_unfinished_by_integration on tasks (storage_integration_id)
  where completed_at is null and storage_integration_id is not null;
-- Finished Tasks whose outputs are stored here; those in a client's own bucket are not ours to remove.
create index tasks_with_outputs on tasks (completed_at)
  where completed_at is not null and outputs_removed_at is null and write_destination is null;
-- None of these contains a finished Task, so a claim costs the same however many there are.
create index tasks_waiting on tasks (client_id, is_long, (-coalesce(priority, 5)), created_at, id)
  where completed_at is null and run_token is null;
create index tasks_waiting_oldest on tasks (created_at) where completed_at is null and run_token is null;
create index tasks_delayed on tasks (due_at) where completed_at is null and run_token is null and due_at is not null;
create index tasks_running on tasks (client_id) include (is_long) where completed_at is null and run_token is not null;

-- One model's work within a Task.
create table targets (
  id                 text primary key,
  task_id            text not null references tasks on delete cascade,
  position           smallint not null,
  model              text not null,
  formats            text[] not null,
  -- TargetOptions of the contract: only those that the client set.
  options            jsonb not null,
  credits_per_minute numeric(20, 6) not null,
  status             text not null default 'processing' check (status in ('processing', 'completed', 'error')),
  progress           real not null default 0,
  -- When the engine expects to finish, from its measured speed.
  expected_at        timestamptz,
  cost               numeric(20, 6),
  duration_seconds   double precision,
  error_code         integer,
  error_message      text,
  finished_at        timestamptz,
  unique (task_id, position)
);
-- Counting unfinished targets must not cost more as finished ones accumulate.
create index targets_processing on targets (task_id) where status = 'processing';
create index targets_unfinished_transcripts on targets ((options ->> 'transcriptAssetId'))
  where status = 'processing' and options ? 'transcriptAssetId';

create table outputs (
  target_id       text not null references targets on delete cascade,
  position        smallint not null,
  name            text not null,
  format          text not null,
  blob_key        text not null,
  size_bytes      bigint not null,
  -- The probe of an output that is used as an input, as assets have it.
  media           jsonb,
  -- Samples clipped at full scale; null if none were.
  clipped_samples bigint,
  -- Whose quota it counts against; null in a client's own bucket. Set by a trigger, since its target is deleted before it.
  client_id       text,
  primary key (target_id, position)
);

-- What the input of an unfinished Task and the transcripts of its targets were resolved to when it was created: the stored file that one of our links or
-- the id of an output stands for, and the user and password that were in a URL.
create table task_sources (
  task_id      text not null references tasks on delete cascade,
  -- Null for the Task's input, else the target whose transcript it is.
  target_id    text references targets on delete cascade,
  blob_key     text,
  -- The asset, or the Task with the output, that the file belongs to.
  stored_id    text generated always as (split_part(blob_key, '/', 2)) stored,
  sealed_login bytea,
  unique nulls not distinct (task_id, target_id)
);
create index task_sources_stored on task_sources (stored_id) where stored_id is not null;
-- Deleting a target looks up its sources.
create index task_sources_target on task_sources (target_id) where target_id is not null;

-- Stored previews of a Task. Their files are beside its outputs, under the version, and are removed with them.
create table task_previews (
  task_id    text primary key references tasks (id) on delete cascade,
  -- Whose quota they count against; the Task is deleted before them.
  client_id  text not null,
  -- Changes when they are started again, so that chunks of two runs are never mixed.
  version    text not null,
  -- Sample rate, channels, length and the like; fixed for a version.
  shape      jsonb not null,
  -- Stored chunks by track.
  chunks     jsonb not null,
  size_bytes bigint not null
);

-- Links that show one Task to anyone who has them. Only the token's hash is stored.
create table task_shares (
  id         text primary key,
  task_id    text not null references tasks on delete cascade,
  token_hash bytea not null unique,
  -- Whether it shows the name of the uploaded file.
  shows_name boolean not null default false,
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  expires_at timestamptz not null
);
create index task_shares_task on task_shares (task_id, created_at);
create index task_shares_expires on task_shares (expires_at);

-- What a job of the Jobs interface has beside its Task, whose id it shares.
create table legacy_jobs (
  task_id      text primary key references tasks on delete cascade,
  request_id   text not null,
  callback_url text,
  metadata     jsonb not null
);

-- A Task's progress: its ended targets, plus the fractions of the others.
create function task_progress(given_task_id text) returns real language sql stable as $$
  select coalesce(sum(case when status = 'processing' then progress else 1 end), 0)::real
  from targets where task_id = given_task_id
$$;
