-- Notes how long the input of a run's Task is; false when that makes one long Task too many, null when the run has lost its Task.
-- Workers that learn it at the same moment go one after the other, under the lock of claims, so that each sees the one before.
-- One statement for the caller, as a claim is. The Task's own lock comes first: claims never wait for it, so nobody's claim
-- waits while a client cancels the Task.
create function set_task_length(given_task_id text, given_token text, given_seconds double precision, given_is_long boolean)
returns boolean
language plpgsql as $$
declare
  has_room boolean := true;
begin
  perform from tasks where id = given_task_id and run_token = given_token and completed_at is null for no key update;
  if not found then
    return null;
  end if;
  if given_is_long then
    -- The lock of claim_task; see advisory-locks.ts.
    perform pg_advisory_xact_lock(7734212);
    select not is_full into has_room from long_lane;
  end if;
  update tasks set expected_audio_seconds = given_seconds, is_long = given_is_long where id = given_task_id;
  return has_room;
end $$;

-- The next stretch for a worker: one at a time of each client, and that of the client who was served least lately. One claim at
-- a time, so that each sees the one before.
create function claim_realignment(given_token text, given_seconds integer, given_attempts_max integer, given_lifetime interval)
returns setof realignments
language plpgsql as $$
begin
  -- See advisory-locks.ts.
  perform pg_advisory_xact_lock(7734214);
  return query
    update realignments set run_token = given_token, attempts = attempts + 1, claimed_at = now(),
      claimed_until = now() + given_seconds * interval '1 second'
    where id = (
      select id from realignments as next
      where status = 'processing' and coalesce(claimed_until <= now(), true) and attempts < given_attempts_max
        and created_at > now() - given_lifetime
        and not exists (
          select from realignments as other
          where other.client_id = next.client_id and other.status = 'processing' and other.claimed_until > now())
      order by (select max(claimed_at) from realignments as served where served.client_id = next.client_id) nulls first,
        created_at, id
      limit 1 for update skip locked)
    returning *;
end $$;
