-- PostgreSQL compiles a plan that it expects to be expensive, which takes a second or two for one that then takes a few milliseconds.
-- It took turn_clock, which it has never analyzed, for 1,990 rows, and thus 10 waiting clients for 382,080. Now it is told that there is one.
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
cross join (select * from turn_clock limit 1) as turn_clock
cross join lateral (select coalesce(clients.running_max, turn_clock.client_running_max) as running_max) as limits
left join client_turns on client_turns.client_id = clients.id;

-- Whatever an estimate says, what runs under a lock of the whole service is never compiled. A function that replaces one of these must keep the setting.
alter function claim_task(text, text, integer) set jit = off;
alter function set_task_length(text, text, double precision, boolean) set jit = off;
alter function claim_realignment(text, integer, integer, interval) set jit = off;
