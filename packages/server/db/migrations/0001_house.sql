create table clients (
  id           text primary key,
  name         text not null,
  is_metered   boolean not null default false,
  created_at   timestamptz not null default now(),
  suspended_at timestamptz
);

-- A key is shown once; only its SHA-256 is kept (it has over 128 random bits, so no salt is needed).
create table api_keys (
  id           text primary key,
  client_id    text not null references clients on delete cascade,
  kind         text not null check (kind in ('key', 'legacy')),
  role         text not null check (role in ('client', 'admin')),
  name         text not null,
  hash         bytea not null unique,
  created_at   timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at   timestamptz
);

-- What was agreed with one client about one model; absent columns leave the catalogue's word.
create table model_grants (
  client_id          text not null references clients on delete cascade,
  model              text not null,
  access             text check (access in ('enabled', 'requestAccess')),
  credits_per_minute numeric(20, 6),
  primary key (client_id, model)
);

create table assets (
  id         text primary key,
  client_id  text not null references clients on delete cascade,
  name       text not null,
  format     text not null,
  size_bytes bigint not null,
  blob_key   text not null,
  media      jsonb,
  created_at timestamptz not null
);
create index assets_newest on assets (client_id, created_at desc, id desc);

create table tasks (
  id                     text primary key,
  client_id              text not null references clients on delete cascade,
  asset_id               text,
  url                    text,
  storage_integration_id text,
  write_destination      text,
  webhook_url            text,
  -- As a JSON string literal, so that NUL and lone surrogates, which text can't hold, come back byte for byte.
  metadata               text,
  created_at             timestamptz not null,
  completed_at           timestamptz,
  check ((asset_id is null) <> (url is null))
);
create index tasks_newest on tasks (client_id, created_at desc, id desc);

create table targets (
  id                  text primary key,
  task_id             text not null references tasks on delete cascade,
  position            smallint not null,
  model               text not null,
  formats             text[] not null,
  -- Only what the client supplied: residual, variant, language, transcriptUrl, transcriptAssetId, bitDepth.
  wishes              jsonb not null,
  credits_per_minute  numeric(20, 6) not null,
  status              text not null default 'processing' check (status in ('processing', 'completed', 'error')),
  progress            real not null default 0,
  cost                numeric(20, 6),
  duration_seconds    double precision,
  error_code          integer,
  error_message       text,
  finished_at         timestamptz,
  unique (task_id, position)
);

create table outputs (
  target_id  text not null references targets on delete cascade,
  position   smallint not null,
  name       text not null,
  format     text not null,
  blob_key   text not null,
  size_bytes bigint not null,
  primary key (target_id, position)
);

-- Secrets the installation makes for itself, such as the one that signs download links.
create table installation_secrets (
  name  text primary key,
  value bytea not null
);
