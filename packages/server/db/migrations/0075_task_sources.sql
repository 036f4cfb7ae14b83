-- What was found out about a Task's input and its targets' transcripts when the Task was created, for as long as it is unfinished: the stored
-- file that one of our own links, or the id of an output, stands for, and the user and password that were in a URL.
create table task_sources (
  task_id      text not null references tasks on delete cascade,
  -- Null for the Task's input, else the target whose transcript it is.
  target_id    text references targets on delete cascade,
  blob_key     text,
  -- The asset, or the Task with the output, that the file belongs to.
  stored_id    text generated always as (split_part(blob_key, '/', 2)) stored,
  sealed_login bytea,
  unique nulls not distinct (task_id, target_id)
);
create index task_sources_stored on task_sources (stored_id) where stored_id is not null;

-- A look into an output that is used as an input, as assets have it.
alter table outputs add column media jsonb;

-- Unfinished Tasks that read an asset or an output of their own account by link.
insert into task_sources (task_id, target_id, blob_key)
select task_id, target_id, blob_key from (
  select id as task_id, null as target_id, client_id, substring(url from '/files/((?:assets|outputs)/[^?]+)') as blob_key
  from tasks where completed_at is null and url like '%/files/%'
  union all
  select tasks.id, targets.id, client_id, substring(wishes ->> 'transcriptUrl' from '/files/((?:assets|outputs)/[^?]+)')
  from targets join tasks on tasks.id = task_id
  where status = 'processing' and wishes ->> 'transcriptUrl' like '%/files/%'
) as given
where exists (select from assets where id = split_part(blob_key, '/', 2) and assets.client_id = given.client_id)
  or exists (select from tasks where id = split_part(blob_key, '/', 2) and tasks.client_id = given.client_id);

drop index tasks_unfinished_urls;
