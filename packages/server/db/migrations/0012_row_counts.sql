-- Exact totals of the lists. Counting a million rows takes longer than the whole request may. A client's count is the sum of
-- its slots: one row would make all creations of a client wait for each other, so each database session has its own.
-- No reference to clients: the rows of a deleted client are counted down after it is gone.
create table row_counts (
  client_id text not null,
  noun      text not null,
  slot      smallint not null,
  total     bigint not null,
  primary key (client_id, noun, slot)
) with (fillfactor = 50);

create function count_added_rows() returns trigger language plpgsql as $$
begin
  insert into row_counts
  select client_id, tg_table_name, pg_backend_pid() % 64, count(*) from changed group by client_id order by client_id
  on conflict (client_id, noun, slot) do update set total = row_counts.total + excluded.total;
  return null;
end $$;

create function count_removed_rows() returns trigger language plpgsql as $$
begin
  insert into row_counts
  select client_id, tg_table_name, pg_backend_pid() % 64, -count(*) from changed group by client_id order by client_id
  on conflict (client_id, noun, slot) do update set total = row_counts.total + excluded.total;
  return null;
end $$;

create trigger tasks_added after insert on tasks
  referencing new table as changed for each statement execute function count_added_rows();
create trigger tasks_removed after delete on tasks
  referencing old table as changed for each statement execute function count_removed_rows();
create trigger assets_added after insert on assets
  referencing new table as changed for each statement execute function count_added_rows();
create trigger assets_removed after delete on assets
  referencing old table as changed for each statement execute function count_removed_rows();

insert into row_counts select client_id, 'tasks', 0, count(*) from tasks group by client_id;
insert into row_counts select client_id, 'assets', 0, count(*) from assets group by client_id;
