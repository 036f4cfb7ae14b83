-- Files that arrive in several requests. A row is what a client may resume; it goes in the transaction that makes the asset.
create table uploads (
  -- Also the id of the asset it becomes.
  id           text primary key,
  client_id    text not null references clients on delete cascade,
  name         text not null,
  content_type text,
  -- Null until name, type or first bytes have told it.
  format       text,
  -- By which a client finds its upload again.
  fingerprint  text,
  -- Upload-Metadata of tus, as it was sent.
  metadata     text,
  size_bytes   bigint not null check (size_bytes > 0),
  -- Those that survive a crash; never less than before.
  stored_bytes bigint not null default 0,
  -- Of a store in S3: the multipart upload, and the size of its parts.
  multipart_id text,
  part_bytes   bigint not null,
  -- The client sends the parts to the bucket itself.
  is_direct    boolean not null default false,
  -- The request that writes; it has to say again and again that it does. It ends when another asks to be next.
  writer       text,
  writer_until timestamptz,
  next_writer  text,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz not null
);
create index uploads_client on uploads (client_id, created_at);
create index uploads_expiry on uploads (expires_at);
