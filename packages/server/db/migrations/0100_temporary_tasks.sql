-- A Task that was made for a request which waits for it, and that goes with it. What a killed API left is found by a sweep.
alter table tasks add column is_temporary boolean not null default false;
create index tasks_temporary on tasks (created_at) where is_temporary;
