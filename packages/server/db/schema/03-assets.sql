create table assets (
  id         text primary key,
  client_id  text not null references clients on delete cascade,
  name       text not null,
  format     text not null,
  size_bytes bigint not null,
  blob_key   text not null,
  -- The result of the probe.
  media      jsonb,
  created_at timestamptz not null
);
create index assets_newest on assets (client_id, created_at desc, id desc);
create index assets_oldest on assets (created_at);

-- Files that arrive in several requests. A row is what a client may resume; the transaction that makes the asset deletes it.
create table uploads (
  -- Also the id of the asset it becomes.
  id           text primary key,
  client_id    text not null references clients on delete cascade,
  name         text not null,
  content_type text,
  -- Null until the name, the type or the first bytes have shown it.
  format       text,
  -- By which a client finds its upload again.
  fingerprint  text,
  -- Upload-Metadata of tus, as it was sent.
  metadata     text,
  size_bytes   bigint not null check (size_bytes > 0),
  -- Those that survive a crash; never decreases.
  stored_bytes bigint not null default 0,
  -- In an S3 store: the multipart upload, and the size of its parts.
  multipart_id text,
  part_bytes   bigint not null,
  -- The client sends the parts to the bucket itself.
  is_direct    boolean not null default false,
  -- The request that writes, renewed while it does. It ends when another one asks to be next.
  writer       text,
  writer_until timestamptz,
  next_writer  text,
  -- When the writer last received bytes: a connection that broke unnoticed has a writer for up to a minute.
  received_at  timestamptz,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz not null
);
create index uploads_client on uploads (client_id, created_at);
create index uploads_expiry on uploads (expires_at);

-- Stored files that no row refers to: those of deleted rows, and uploads that are no asset yet. Whoever deletes a row inserts its files here in the same
-- transaction; whoever stores an upload inserts before, and deletes in the transaction that makes it an asset. So after any crash the sweep finds here
-- what to remove.
create table unclaimed_files (
  key_prefix       text primary key,
  -- When a sweep removes them. Removing starts by moving it on, so that another sweep retries if this one does not finish.
  due_at           timestamptz not null,
  -- From then on they can't be claimed.
  is_being_removed boolean not null default false,
  -- A worker may write files of a deleted Task until it notices; they are removed again after this time.
  written_until    timestamptz,
  -- Whose they were, and the asset they were, for a repeated DELETE.
  client_id        text,
  asset            jsonb
);
create index unclaimed_files_due on unclaimed_files (due_at);
