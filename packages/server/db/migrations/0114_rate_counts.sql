-- Requests of a second by key or address, counted by all processes together. Nothing is lost that would be missed after a crash.
create unlogged table rate_counts (
  subject    text primary key,
  started_at timestamptz not null,
  total      integer not null
) with (fillfactor = 50);
