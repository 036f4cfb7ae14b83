-- What each worker's networks run on: [{ "name", "runsOn", "timesRealTime" }].
alter table workers add column networks jsonb not null default '[]';
