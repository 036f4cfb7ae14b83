-- Files that belong to nobody: those of rows that were deleted, and uploads that are no asset yet. Whoever deletes a row writes its files down here in
-- the same transaction; whoever stores an upload does so before, and takes the entry out in the transaction that makes it an asset.
-- Whatever dies at whatever moment, a sweep finds here what is left to remove.
create table unclaimed_files (
  key_prefix       text primary key,
  -- When a sweep removes them. Whoever begins to remove them moves it on, so that another tries if they don't come to an end.
  due_at           timestamptz not null,
  -- From then on nobody can claim them any more.
  is_being_removed boolean not null default false,
  -- A worker may write to the files of a deleted Task until it notices; they are removed once more after this time.
  written_until    timestamptz,
  -- Whose they were, and the asset they were, for a DELETE that is sent again.
  client_id        text,
  asset            jsonb
);
create index unclaimed_files_due on unclaimed_files (due_at);
