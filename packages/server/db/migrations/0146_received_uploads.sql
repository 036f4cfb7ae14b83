-- When the writer of an upload last received bytes: a connection that broke without anybody noticing has a writer for up to a minute.
alter table uploads add column received_at timestamptz;
