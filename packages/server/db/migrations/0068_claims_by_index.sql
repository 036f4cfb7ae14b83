-- The same as before, each look-up in the order of the index that has waiting Tasks alone. Without it PostgreSQL may walk along
-- another index, or the table, and pass all the finished Tasks that lie before the first waiting one.

-- The clients with waiting Tasks, found one after the other along the index, and when their turn is.
create or replace view waiting_clients as
with recursive found as (
  (select client_id from tasks where completed_at is null and run_token is null
    order by client_id, is_long, -coalesce(priority, 5), created_at, id limit 1)
  union all
  select (select client_id from tasks
    where completed_at is null and run_token is null and client_id > found.client_id
    order by client_id, is_long, -coalesce(priority, 5), created_at, id limit 1)
  from found where found.client_id is not null
)
select clients.id as client_id, clients.weight, limits.running_max,
  greatest(coalesce(client_turns.next_turn, 0), turn_clock.clock) as turn_start,
  1000000 / clients.weight as turn_length,
  case when limits.running_max > 0 then (
    select count(*) from tasks
    where tasks.client_id = clients.id and completed_at is null and run_token is not null) else 0 end as running
from found
join clients on clients.id = found.client_id
cross join turn_clock
cross join lateral (select coalesce(clients.running_max, turn_clock.client_running_max) as running_max) as limits
left join client_turns on client_turns.client_id = clients.id;

-- Takes the next Task for a worker and locks it for the calling session; null when there is none. One statement for the
-- caller, so that a worker that freezes never leaves the others waiting for the lock on claims.
create or replace function claim_task(given_worker_id text, given_token text, given_running_max integer) returns text
language plpgsql as $$
declare
  passed_over text[] := '{}';
  chosen record;
begin
  perform from tasks where completed_at is null and run_token is null and due_at is null order by created_at limit 1;
  if not found then
    return null;
  end if;
  -- A claim that a crash of the database forgets is a Task that waits again; the run's first write makes it durable.
  perform set_config('synchronous_commit', 'off', true);
  -- One claim at a time: turns and limits are read and written in it. Any number that nobody else uses.
  perform pg_advisory_xact_lock(7734212);
  update turn_clock set client_running_max = given_running_max where client_running_max <> given_running_max;
  while cardinality(passed_over) < 100 loop
    select line.client_id, line.turn_start, line.turn_length, head.id into chosen
    from waiting_clients as line cross join lateral (
      (select id, -coalesce(priority, 5) as rank, created_at from tasks
        where client_id = line.client_id and not is_long and completed_at is null and run_token is null
          and due_at is null and id <> all (passed_over)
        order by -coalesce(priority, 5), created_at, id limit 1)
      union all
      (select id, -coalesce(priority, 5), created_at from tasks
        where client_id = line.client_id and is_long and completed_at is null and run_token is null
          and due_at is null and id <> all (passed_over) and not (select is_full from long_lane)
        order by -coalesce(priority, 5), created_at, id limit 1)
      order by rank, created_at, id limit 1
    ) as head
    where line.running_max = 0 or line.running < line.running_max
    order by line.turn_start, head.created_at, head.id limit 1;
    if not found then
      return null;
    end if;
    -- A client may be cancelling it, or a session that is about to end may still hold it: the next one, then.
    perform from tasks where id = chosen.id and completed_at is null and run_token is null for update skip locked;
    if found and pg_try_advisory_lock(hashtextextended(chosen.id, 0)) then
      update tasks set run_token = given_token, worker_id = given_worker_id, run_started_at = now(),
        attempts = attempts + 1, attempt_mark = task_mark(id)
      where id = chosen.id;
      update turn_clock set clock = chosen.turn_start where clock < chosen.turn_start;
      insert into client_turns values (chosen.client_id, chosen.turn_start + chosen.turn_length)
      on conflict (client_id) do update set next_turn = excluded.next_turn;
      return chosen.id;
    end if;
    passed_over := passed_over || chosen.id;
  end loop;
  return null;
end $$;
