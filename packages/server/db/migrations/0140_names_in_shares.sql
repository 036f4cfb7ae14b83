-- Whether a share tells the name of the uploaded file.
alter table task_shares add column shows_name boolean not null default false;
