-- What a client has, and how much of it is set aside for Tasks that have not ended. One row a client, made with the first
-- credits; its row lock is what a hundred creations at once queue up for. The check is the promise: nothing below zero.
create table credit_accounts (
  client_id text primary key references clients,
  balance   numeric(20, 6) not null default 0,
  reserved  numeric(20, 6) not null default 0,
  check (reserved >= 0 and reserved <= balance)
);

-- Every change of a balance, for good: the balance is the sum of its entries. Tasks may be deleted, so nothing refers to them.
create table credit_entries (
  position      bigint generated always as identity primary key,
  id            text not null unique,
  client_id     text not null references clients,
  kind          text not null check (kind in ('grant', 'charge', 'refund')),
  amount        numeric(20, 6) not null check (amount <> 0),
  balance_after numeric(20, 6) not null,
  note          text,
  task_id       text,
  target_id     text,
  key_id        text,
  created_at    timestamptz not null default now()
);
create index credit_entries_newest on credit_entries (client_id, position desc);
create unique index credit_entries_one_charge on credit_entries (target_id) where kind = 'charge';

create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only';
end $$;
create trigger credit_entries_append_only before update or delete or truncate on credit_entries
  for each statement execute function refuse_ledger_change();

-- What a metered client's unfinished target has set aside. Whoever deletes the row, or the Task above it, gives it free.
create table credit_reservations (
  target_id text primary key references targets on delete cascade,
  client_id text not null references clients,
  amount    numeric(20, 6) not null check (amount >= 0)
);

create function release_reservation() returns trigger language plpgsql as $$
begin
  update credit_accounts set reserved = reserved - old.amount where client_id = old.client_id;
  return null;
end $$;
create trigger credit_reservations_release after delete on credit_reservations
  for each row execute function release_reservation();

-- The workers' signs of life: a row each, renewed every few seconds, removed when one ends in order.
create table workers (
  id             text primary key,
  host           text not null,
  pid            integer not null,
  version        text not null,
  started_at     timestamptz not null,
  seen_at        timestamptz not null default now(),
  task_id        text,
  task_since     timestamptz,
  memory_bytes   bigint not null,
  -- How long the engine worked since the start, and on how much audio.
  engine_seconds double precision not null,
  audio_seconds  double precision not null
);

-- Counting what is unfinished must not cost more as what is finished grows.
create index targets_processing on targets (task_id) where status = 'processing';
