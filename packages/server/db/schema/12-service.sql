-- What the service keeps for itself: responses to repeated requests, request rates, secrets and exact totals.

-- The response to a request with an Idempotency-Key, written in the transaction that did the work: a request that died half-way leaves neither.
create table idempotency_receipts (
  client_id       text not null references clients on delete cascade,
  key             text not null,
  -- The key or person that made the request, to whom alone the response is given again. Null in receipts of an earlier release, for a day.
  principal       text,
  -- SHA-256 of the request, to tell a repetition from a key used twice.
  fingerprint     bytea not null,
  -- Encrypted: the response to a new key contains the key. Null only inside the transaction that makes it.
  sealed_response bytea,
  created_at      timestamptz not null default now(),
  primary key (client_id, key)
);
create index idempotency_receipts_oldest on idempotency_receipts (created_at);

-- Requests of a second by key or address, counted by all processes together. Unlogged: a crash loses nothing that would be missed.
create unlogged table rate_counts (
  subject    text primary key,
  started_at timestamptz not null,
  total      integer not null
) with (fillfactor = 50);

-- Secrets the installation makes for itself, such as the one that signs download links.
create table installation_secrets (
  name  text primary key,
  value bytea not null
);

-- What ended since the service was set up, added to in the transaction that ends it: counting ten million rows takes seconds. Slots keep concurrent
-- transactions from waiting for each other.
create table service_totals (
  name  text not null,
  slot  smallint not null,
  total bigint not null,
  primary key (name, slot)
) with (fillfactor = 50);

-- Exact totals of lists. A client's count is the sum of its slots: a single row would make all its creations wait for each other, so each database session
-- has its own. No reference to clients: the rows of a deleted client are counted down after it is gone.
create table row_counts (
  client_id text not null,
  noun      text not null,
  slot      smallint not null,
  total     bigint not null,
  primary key (client_id, noun, slot)
) with (fillfactor = 50);

create function count_added_rows() returns trigger language plpgsql as $$
begin
  insert into row_counts
  select client_id, tg_table_name, pg_backend_pid() % 64, count(*) from changed group by client_id order by client_id
  on conflict (client_id, noun, slot) do update set total = row_counts.total + excluded.total;
  return null;
end $$;

create function count_removed_rows() returns trigger language plpgsql as $$
begin
  insert into row_counts
  select client_id, tg_table_name, pg_backend_pid() % 64, -count(*) from changed group by client_id order by client_id
  on conflict (client_id, noun, slot) do update set total = row_counts.total + excluded.total;
  return null;
end $$;

create trigger tasks_added after insert on tasks
  referencing new table as changed for each statement execute function count_added_rows();
create trigger tasks_removed after delete on tasks
  referencing old table as changed for each statement execute function count_removed_rows();
create trigger assets_added after insert on assets
  referencing new table as changed for each statement execute function count_added_rows();
create trigger assets_removed after delete on assets
  referencing old table as changed for each statement execute function count_removed_rows();
