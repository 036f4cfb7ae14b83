-- When the engine had come as far as `progress` says: the time that is left is reckoned from there, not from when somebody asks.
alter table targets add column progress_at timestamptz;
