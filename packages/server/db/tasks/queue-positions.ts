import { sql } from "kysely";
import type { DatabaseHandle } from "../database.ts";
import { IS_WAITING } from "./waiting-tasks.ts";

/** Positions are counted up to this one, which Tasks further back report too, so that a long queue stays cheap. */
const MAX_PLACES = 1000;

/** As in the index: the highest priority first. */
const RANK = sql`-coalesce(priority, 5)`;

/**
 * The upcoming turns of the clients. A client whose limit on running Tasks is below its share of the workers gets as many turns, within the time of one
 * Task, as its limit allows; the others share the rest.
 */
const TURNS = sql`
  with line as materialized (select * from waiting_clients limit ${sql.lit(MAX_PLACES)}), fleet as (
    select greatest(1, (select count(*) from alive_workers)) as workers, (select sum(weight) from line) as weights
  ), judged as (
    select line.*, running_max > 0 and running_max < workers * weight / weights::float8 as is_capped, workers from line, fleet
  ), rest as (
    select greatest(1, max(workers) - coalesce(sum(running_max) filter (where is_capped), 0))
      / (sum(weight) filter (where not is_capped))::float8 as turns from judged
  ), paced as (
    select judged.*, case when is_capped
      then greatest(tag_step, (1000000 * coalesce(rest.turns, 1) / running_max)::bigint) else tag_step end as pace
    from judged, rest
  )
  select client_id, pace as tag_step,
    start_tag + case when is_capped and running >= running_max then pace else 0 end as start_tag
  from paced`;

/**
 * The queue positions of waiting Tasks, 1 for the next one: the order in which they would be claimed if none were added. That is the order of their turns,
 * one turn per Task of a client, by priority, then age. While long Tasks have all the workers they may have, they come after the short ones.
 *
 * Of each other client only as many Tasks are read as can be ahead, and no more in total than positions are counted.
 */
export async function findQueuePositions(
  db: DatabaseHandle,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; ahead: number }>`
    with turns as materialized (${TURNS}), mine as (
      select tasks.id, client_id, ${RANK} as rank, created_at, is_reached,
        -- Which Tasks make up the line this one stands in.
        not is_reached or not is_long as is_among_short, not is_reached or is_long as is_among_long
      from tasks, long_task_limit where tasks.id = any(${ids}) and ${IS_WAITING}
    ), placed as (
      select mine.*, own.ahead as own_ahead, start_tag + own.ahead * tag_step as turn
      from mine join turns on turns.client_id = mine.client_id cross join lateral (
        select count(*) as ahead from (
          (select from tasks where is_among_short and client_id = mine.client_id and not is_long and ${IS_WAITING}
            and (${RANK}, tasks.created_at, tasks.id) < (mine.rank, mine.created_at, mine.id)
            order by ${RANK}, tasks.created_at, tasks.id limit ${sql.lit(MAX_PLACES)})
          union all
          (select from tasks where is_among_long and client_id = mine.client_id and is_long and ${IS_WAITING}
            and (${RANK}, tasks.created_at, tasks.id) < (mine.rank, mine.created_at, mine.id)
            order by ${RANK}, tasks.created_at, tasks.id limit ${sql.lit(MAX_PLACES)})
        ) as own_line
      ) as own
    )
    select placed.id, own_ahead + others.ahead + (
      select count(*) from (select from tasks where is_reached and not is_among_short and not is_long and ${IS_WAITING}
        order by created_at limit ${sql.lit(MAX_PLACES)}) as short_line
    ) as ahead
    from placed cross join lateral (
      select count(*) as ahead from (
        select from turns cross join lateral (
          -- How many of this client's turns come before ours, and whether one comes at the same time.
          select greatest(0, (turn - start_tag + tag_step - 1) / tag_step) as earlier,
            (turn - start_tag) % tag_step = 0 as has_tie
        ) as compared cross join lateral (
          select from (
            select row_number() over (order by rank, created_at, id) as place, created_at, id from (
              (select ${RANK} as rank, created_at, id from tasks
                where is_among_short and client_id = turns.client_id and not is_long and ${IS_WAITING}
                order by ${RANK}, created_at, id limit least(earlier + 1, ${sql.lit(MAX_PLACES)}))
              union all
              (select ${RANK}, created_at, id from tasks
                where is_among_long and client_id = turns.client_id and is_long and ${IS_WAITING}
                order by ${RANK}, created_at, id limit least(earlier + 1, ${sql.lit(MAX_PLACES)}))
            ) as both_lanes
          ) as numbered
          where place <= earlier
            or (has_tie and place = earlier + 1 and (created_at, id) < (placed.created_at, placed.id))
        ) as line
        where turns.client_id <> placed.client_id and start_tag <= turn
        limit ${sql.lit(MAX_PLACES)}
      ) as counted
    ) as others`.execute(db);
  return new Map(rows.map(({ id, ahead }) => [id, Math.min(MAX_PLACES, 1 + ahead)]));
}
