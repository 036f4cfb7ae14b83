create table storage_integrations (
  id             text primary key,
  client_id      text not null references clients on delete cascade,
  type           text not null check (type in ('aws', 's3', 'gcp', 'azure')),
  storage_name   text not null,
  -- As clients see it: every secret reads '***'.
  auth_config    jsonb not null,
  -- The secrets themselves, encrypted with a key that is not in this database.
  sealed_secrets bytea not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null
);
create index storage_integrations_newest on storage_integrations (client_id, created_at desc, id desc);

-- Answers whether an unfinished Task uses an integration.
create index tasks_unfinished_by_integration on tasks (storage_integration_id)
  where completed_at is null and storage_integration_id is not null;
