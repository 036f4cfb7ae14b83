-- Attempts at passwords, counted so that they leak away: what may still be tried is known at any time, without a window that starts
-- anew. Replaces sign_in_attempts.
create table sign_in_allowances (
  subject    bytea primary key,
  -- How many attempts there were at counted_at, less those that had leaked away by then.
  level      double precision not null,
  counted_at timestamptz not null,
  -- When nothing is left of the level.
  expires_at timestamptz not null
);
create index sign_in_allowances_by_expiry on sign_in_allowances (expires_at);
