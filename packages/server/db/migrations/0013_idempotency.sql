-- What was answered to a request that carried an Idempotency-Key, written in the transaction that did the work: a request
-- that died half-way leaves neither.
create table idempotency_receipts (
  client_id   text not null references clients on delete cascade,
  key         text not null,
  -- SHA-256 of the request, to tell a repetition from a key used twice.
  fingerprint bytea not null,
  -- The answer's JSON. Null only inside the transaction that makes it.
  answer      text,
  created_at  timestamptz not null default now(),
  primary key (client_id, key)
);
create index idempotency_receipts_oldest on idempotency_receipts (created_at);
