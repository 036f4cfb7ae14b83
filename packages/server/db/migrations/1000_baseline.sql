-- Brings databases of the releases before this migration to the schema in ../schema; new databases are created from those files instead.
--
-- replaces: 0123_machines_of_spans.sql to 0150_claims_without_jit.sql
-- needs: 1000_baseline.sql
-- includes: 06-claims.sql
--
-- A database can be upgraded if the first of the replaced migrations is applied; the later ones are repeated here, for those that lack them. Renamed tables
-- and columns are one statement a line: `restore` reads them here to load backups of those releases.

alter table workers add column if not exists fault text, add column if not exists disk_free_bytes bigint;
alter table tasks add column if not exists room_returns smallint not null default 0, add column if not exists room_needed_bytes bigint;
alter table idempotency_receipts add column if not exists principal text;
alter table task_shares add column if not exists shows_name boolean not null default false;
create table if not exists sign_in_allowances (
  subject    bytea primary key,
  level      double precision not null,
  counted_at timestamptz not null,
  expires_at timestamptz not null
);
create index if not exists sign_in_allowances_by_expiry on sign_in_allowances (expires_at);
create table if not exists uploads (
  id           text primary key,
  client_id    text not null references clients on delete cascade,
  name         text not null,
  content_type text,
  format       text,
  fingerprint  text,
  metadata     text,
  size_bytes   bigint not null check (size_bytes > 0),
  stored_bytes bigint not null default 0,
  multipart_id text,
  part_bytes   bigint not null,
  is_direct    boolean not null default false,
  writer       text,
  writer_until timestamptz,
  next_writer  text,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz not null
);
create index if not exists uploads_client on uploads (client_id, created_at);
create index if not exists uploads_expiry on uploads (expires_at);
alter table uploads add column if not exists received_at timestamptz;

drop table sign_in_attempts;
alter table webhook_secrets drop column is_sealed;
alter table targets rename column wishes to options;
alter table tasks rename column attempt_mark to attempt_start_progress;
alter table tasks rename column room_returns to disk_full_returns;
alter table tasks rename column room_needed_bytes to needed_disk_bytes;
alter table span_parts rename column place to position;
alter table realignments rename column stretch to gap;
alter table idempotency_receipts rename column sealed_answer to sealed_response;
alter table storage_holds rename to quota_holds;
alter table turn_clock rename to fair_queue;
alter table fair_queue rename column clock to virtual_time;
alter table client_turns rename to client_finish_tags;
alter table client_finish_tags rename column next_turn to finish_tag;
alter table quota_holds rename constraint storage_holds_pkey to quota_holds_pkey;
alter table quota_holds rename constraint storage_holds_client_id_fkey to quota_holds_client_id_fkey;
alter index storage_holds_client rename to quota_holds_client;
alter table fair_queue rename constraint turn_clock_pkey to fair_queue_pkey;
alter table fair_queue rename constraint turn_clock_is_only_check to fair_queue_is_only_check;
alter table client_finish_tags rename constraint client_turns_pkey to client_finish_tags_pkey;
alter table client_finish_tags rename constraint client_turns_client_id_fkey to client_finish_tags_client_id_fkey;

alter function task_mark(text) rename to task_progress;
alter function claim_realignment(text, integer, integer, interval) set jit = off;
drop function claim_task(text, text, integer);
drop function set_task_length(text, text, double precision, boolean);
drop view waiting_clients;
drop view long_lane;
drop view alive_workers;

create or replace function count_stored_bytes() returns trigger language plpgsql as $$
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

create or replace function count_preview_bytes() returns trigger language plpgsql as $$
begin
  insert into storage_totals values (coalesce(new.client_id, old.client_id), 'outputs', pg_backend_pid() % 64,
    coalesce(new.size_bytes, 0) - coalesce(old.size_bytes, 0))
  on conflict (client_id, noun, slot) do update set total_bytes = storage_totals.total_bytes + excluded.total_bytes;
  delete from quota_holds where id = coalesce(new.task_id, old.task_id) || '-previews';
  return null;
end $$;
