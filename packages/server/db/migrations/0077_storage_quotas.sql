-- What each client's files take, exactly and kept by triggers as in row_counts, and what it may take.

-- Null: as the setting says. 0: as much as there is.
alter table clients add column storage_quota_bytes bigint check (storage_quota_bytes >= 0);

-- Whose storage an output takes; null where it lies in the client's own bucket. Not found by way of its target, which is gone
-- before it when a Task is deleted.
alter table outputs add column client_id text;
update outputs set client_id = tasks.client_id from targets join tasks on tasks.id = targets.task_id
where targets.id = outputs.target_id and tasks.write_destination is null;

create function set_output_client() returns trigger language plpgsql as $$
begin
  select tasks.client_id into new.client_id from targets join tasks on tasks.id = targets.task_id
  where targets.id = new.target_id and tasks.write_destination is null;
  return new;
end $$;
create trigger outputs_client before insert on outputs for each row execute function set_output_client();

create table storage_totals (
  client_id   text not null,
  noun        text not null,
  slot        smallint not null,
  total_bytes bigint not null,
  primary key (client_id, noun, slot)
) with (fillfactor = 50);

-- Room that is set aside for files on their way, under the id of the asset, Task or target that they are for. Whoever set it
-- aside says every minute that it is still there; what nobody speaks for was left by a process that died, and does not count.
create table storage_holds (
  id         text primary key,
  client_id  text not null references clients on delete cascade,
  size_bytes bigint not null,
  seen_at    timestamptz not null default now()
) with (fillfactor = 50);
create index storage_holds_client on storage_holds (client_id);

-- What is counted needs no room set aside any more: both in one statement, so that nobody sees it twice or not at all.
create function count_stored_bytes() returns trigger language plpgsql as $$
begin
  insert into storage_totals
  select client_id, tg_table_name, pg_backend_pid() % 64, (case tg_op when 'INSERT' then 1 else -1 end) * sum(size_bytes)
  from changed where client_id is not null group by client_id order by client_id
  on conflict (client_id, noun, slot) do update set total_bytes = storage_totals.total_bytes + excluded.total_bytes;
  if tg_op = 'DELETE' then
    return null;
  elsif tg_table_name = 'assets' then
    delete from storage_holds using changed where storage_holds.id = changed.id;
  else
    delete from storage_holds using changed where storage_holds.id = changed.target_id;
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

insert into storage_totals select client_id, 'assets', 0, sum(size_bytes) from assets group by client_id;
insert into storage_totals
select client_id, 'outputs', 0, sum(size_bytes) from outputs where client_id is not null group by client_id;
