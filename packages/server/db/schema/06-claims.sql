-- Functions and views of the queue. Each look-up is in the order of the index that has waiting Tasks alone; otherwise PostgreSQL may walk another index,
-- or the table, past all finished Tasks.
--
-- What runs under a lock of the whole service is never compiled (jit = off): PostgreSQL compiles a plan that it expects to be expensive, which takes a second
-- or two for one that then takes milliseconds.

-- The clients with waiting Tasks, found one after the other along the index, with the start tag of their next dispatch.
create view waiting_clients as
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
  greatest(coalesce(client_finish_tags.finish_tag, 0), queue.virtual_time) as start_tag,
  1000000 / clients.weight as tag_step,
  case when limits.running_max > 0 then (
    select count(*) from tasks
    where tasks.client_id = clients.id and completed_at is null and run_token is not null) else 0 end as running
from found
join clients on clients.id = found.client_id
-- The limit tells the planner that there is one row: the table is never analyzed, and it assumed 1,990.
cross join (select * from fair_queue limit 1) as queue
cross join lateral (select coalesce(clients.running_max, queue.client_running_max) as running_max) as limits
left join client_finish_tags on client_finish_tags.client_id = clients.id;

create view alive_workers as select * from workers where seen_at > now() - interval '30 seconds';

-- Long Tasks may have all workers but one, if there are several.
create view long_task_limit as
select alive.total > 1 and running.total >= alive.total - 1 as is_reached
from (select count(*) as total from alive_workers) as alive,
  (select count(*) as total from tasks where completed_at is null and run_token is not null and is_long) as running;

-- Claims the next Task for a worker and locks it for the calling session; null if there is none. One statement for the caller, so that a worker that
-- freezes never leaves the others waiting for the lock on claims.
create function claim_task(given_worker_id text, given_token text, given_running_max integer) returns text
language plpgsql set jit = off as $$
declare
  passed_over text[] := '{}';
  chosen record;
begin
  perform from tasks where completed_at is null and run_token is null and due_at is null order by created_at limit 1;
  if not found then
    return null;
  end if;
  -- A claim that is lost when the database crashes is a Task that waits again; the run's first write makes it durable.
  perform set_config('synchronous_commit', 'off', true);
  -- One claim at a time, since it reads and writes tags and limits. See advisory-locks.ts.
  perform pg_advisory_xact_lock(7734212);
  update fair_queue set client_running_max = given_running_max where client_running_max <> given_running_max;
  while cardinality(passed_over) < 100 loop
    select waiting.client_id, waiting.start_tag, waiting.tag_step, head.id into chosen
    from waiting_clients as waiting cross join lateral (
      (select id, -coalesce(priority, 5) as rank, created_at from tasks
        where client_id = waiting.client_id and not is_long and completed_at is null and run_token is null
          and due_at is null and id <> all (passed_over)
        order by -coalesce(priority, 5), created_at, id limit 1)
      union all
      (select id, -coalesce(priority, 5), created_at from tasks
        where client_id = waiting.client_id and is_long and completed_at is null and run_token is null
          and due_at is null and id <> all (passed_over) and not (select is_reached from long_task_limit)
        order by -coalesce(priority, 5), created_at, id limit 1)
      order by rank, created_at, id limit 1
    ) as head
    where waiting.running_max = 0 or waiting.running < waiting.running_max
    order by waiting.start_tag, head.created_at, head.id limit 1;
    if not found then
      return null;
    end if;
    -- A client may be cancelling it, or a session that is about to end may still hold its lock: then the next one.
    perform from tasks where id = chosen.id and completed_at is null and run_token is null for update skip locked;
    if found and pg_try_advisory_lock(hashtextextended(chosen.id, 0)) then
      update tasks set run_token = given_token, worker_id = given_worker_id, run_started_at = now(),
        attempts = attempts + 1, attempt_start_progress = task_progress(id)
      where id = chosen.id;
      update fair_queue set virtual_time = chosen.start_tag where virtual_time < chosen.start_tag;
      insert into client_finish_tags values (chosen.client_id, chosen.start_tag + chosen.tag_step)
      on conflict (client_id) do update set finish_tag = excluded.finish_tag;
      return chosen.id;
    end if;
    passed_over := passed_over || chosen.id;
  end loop;
  return null;
end $$;

-- Records how long the input of a run's Task is; false if that makes one long Task too many, null if the run has lost its Task. Workers that learn it at
-- the same moment go one after the other, under the lock on claims, so that each sees the previous one. One statement for the caller, like a claim.
-- The Task's own lock comes first: claims never wait for it, so no claim waits while a client cancels the Task.
create function set_task_length(given_task_id text, given_token text, given_seconds double precision, given_is_long boolean)
returns boolean
language plpgsql set jit = off as $$
declare
  has_room boolean := true;
begin
  perform from tasks where id = given_task_id and run_token = given_token and completed_at is null for no key update;
  if not found then
    return null;
  end if;
  if given_is_long then
    -- The lock of claim_task.
    perform pg_advisory_xact_lock(7734212);
    select not is_reached into has_room from long_task_limit;
  end if;
  update tasks set expected_audio_seconds = given_seconds, is_long = given_is_long where id = given_task_id;
  return has_room;
end $$;
