-- A client is an account: its keys, and what was agreed with it.

create table clients (
  id                  text primary key,
  name                text not null,
  is_metered          boolean not null default false,
  created_at          timestamptz not null default now(),
  suspended_at        timestamptz,
  -- Share of the workers beside other clients: see 05-queue.sql.
  weight              smallint not null default 1 check (weight between 1 and 100),
  -- Running and waiting Tasks; null for the service's setting, 0 for no limit.
  running_max         integer check (running_max >= 0),
  waiting_max         integer check (waiting_max >= 0),
  -- Null for the service's setting, 0 for no limit.
  storage_quota_bytes bigint check (storage_quota_bytes >= 0),
  -- The owners of these clients are administrators: they see and act for all clients, as keys of the role admin do.
  is_administrative   boolean not null default false
);

-- A key is shown once; only its SHA-256 is stored (it has over 128 random bits, so no salt is needed).
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

-- Access and rate agreed with one client for one model; null leaves the catalogue's value.
create table model_grants (
  client_id          text not null references clients on delete cascade,
  model              text not null,
  access             text check (access in ('enabled', 'requestAccess')),
  credits_per_minute numeric(20, 6),
  primary key (client_id, model)
);
