-- How much of a Task's previews is stored. They lie beside its outputs, under the version, and go with them.
create table task_previews (
  task_id    text primary key references tasks (id) on delete cascade,
  -- Whose storage they take; not found by way of the Task, which is gone before when it is deleted.
  client_id  text not null,
  -- Another one whenever they were begun anew, so that nobody mixes what two runs made.
  version    text not null,
  -- Sample rate, channels, length and the like; fixed for a version.
  shape      jsonb not null,
  -- Stored chunks by track.
  chunks     jsonb not null,
  size_bytes bigint not null
);

-- Counted with the outputs. What is counted needs no room set aside any more.
create function count_preview_bytes() returns trigger language plpgsql as $$
begin
  insert into storage_totals values (coalesce(new.client_id, old.client_id), 'outputs', pg_backend_pid() % 64,
    coalesce(new.size_bytes, 0) - coalesce(old.size_bytes, 0))
  on conflict (client_id, noun, slot) do update set total_bytes = storage_totals.total_bytes + excluded.total_bytes;
  delete from storage_holds where id = coalesce(new.task_id, old.task_id) || '-previews';
  return null;
end $$;
create trigger task_previews_bytes after insert or update or delete on task_previews
  for each row execute function count_preview_bytes();
