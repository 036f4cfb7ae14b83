-- A client's balance, and how much of it is reserved for unfinished Tasks. One row per client, made with its first credits; concurrent creations of Tasks
-- queue for its row lock. The check is the promise: nothing goes below zero.
create table credit_accounts (
  client_id text primary key references clients,
  balance   numeric(20, 6) not null default 0,
  reserved  numeric(20, 6) not null default 0,
  check (reserved >= 0 and reserved <= balance)
);

-- The ledger: every change of a balance, for good. The balance is the sum of its entries. Tasks may be deleted, so nothing refers to them.
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

-- What a metered client's unfinished target has reserved. Deleting the row, or its Task, releases it.
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

-- For statistics: one row per client, month (UTC) and model, added to in the transaction that completes a target. It outlives deleted Tasks and stays
-- small: a million targets over a year are a few hundred rows.
create table usage_by_month (
  client_id     text not null references clients on delete cascade,
  month         date not null,
  model         text not null,
  total_targets bigint not null,
  total_seconds numeric(20, 6) not null,
  total_credits numeric(20, 6) not null,
  -- How much of it was jobs of the Jobs interface, which reports its own.
  job_targets   bigint not null default 0,
  job_seconds   numeric(20, 6) not null default 0,
  primary key (client_id, month, model)
);
