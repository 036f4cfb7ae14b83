-- Clients' access to their own buckets.
create table storage_integrations (
  id             text primary key,
  client_id      text not null references clients on delete cascade,
  type           text not null check (type in ('aws', 's3', 'gcp', 'azure')),
  storage_name   text not null,
  -- As clients see it: every secret reads '***'.
  auth_config    jsonb not null,
  -- The secrets, encrypted with a key that is not in this database.
  sealed_secrets bytea not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null
);
create index storage_integrations_newest on storage_integrations (client_id, created_at desc, id desc);

-- The bytes that each client's files take, exact, maintained by triggers. A client's total is the sum of its slots, as in row_counts.
create table storage_totals (
  client_id   text not null,
  noun        text not null,
  slot        smallint not null,
  total_bytes bigint not null,
  primary key (client_id, noun, slot)
) with (fillfactor = 50);

-- Quota holds: bytes of a quota set aside for files on their way, under the id of the asset, Task or target they are for. Renewed every minute; one that is
-- not was left by a process that died, and does not count.
create table quota_holds (
  id         text primary key,
  client_id  text not null references clients on delete cascade,
  size_bytes bigint not null,
  seen_at    timestamptz not null default now()
) with (fillfactor = 50);
create index quota_holds_client on quota_holds (client_id);

create function set_output_client() returns trigger language plpgsql as $$
begin
  select tasks.client_id into new.client_id from targets join tasks on tasks.id = targets.task_id
  where targets.id = new.target_id and tasks.write_destination is null;
  return new;
end $$;
create trigger outputs_client before insert on outputs for each row execute function set_output_client();

-- What is counted needs no quota hold: both in one statement, so that nobody sees the bytes twice or not at all.
create function count_stored_bytes() returns trigger language plpgsql as $$
begin
  insert into storage_totals
  select client_id, tg_table_name, pg_backend_pid() % 64, (case tg_op when 'INSERT' then 1 else -1 end) * sum(size_bytes)
  from changed where client_id is not null group by client_id order by client_id
  on conflict (client_id, noun, slot) do update set total_bytes = storage_totals.total_bytes + excluded.total_bytes;
  if tg_op = 'DELETE' then
    return null;
  elsif tg_table_name = 'assets' then
    delete from quota_holds using changed where quota_holds.id = changed.id;
  else
    delete from quota_holds using changed where quota_holds.id = changed.target_id;
  end if;
  return null;
end $$;

create trigger assets_bytes_added after insert on assets
  referencing new table as changed for each statement execute function count_stored_bytes();
create trigger assets_bytes_removed after delete on assets
  referencing old table as changed for each statement execute function count_stored_bytes();
create trigger outputs_bytes_added after insert on outputs
  referencing new table as changed for each statement execute function count_stored_bytes();
create trigger outputs_bytes_removed after delete on outputs
  referencing old table as changed for each statement execute function count_stored_bytes();

-- Previews count as outputs.
create function count_preview_bytes() returns trigger language plpgsql as $$
begin
  insert into storage_totals values (coalesce(new.client_id, old.client_id), 'outputs', pg_backend_pid() % 64,
    coalesce(new.size_bytes, 0) - coalesce(old.size_bytes, 0))
  on conflict (client_id, noun, slot) do update set total_bytes = storage_totals.total_bytes + excluded.total_bytes;
  delete from quota_holds where id = coalesce(new.task_id, old.task_id) || '-previews';
  return null;
end $$;
create trigger task_previews_bytes after insert or update or delete on task_previews
  for each row execute function count_preview_bytes();
