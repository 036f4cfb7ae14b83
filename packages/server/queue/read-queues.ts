import type { QueueState } from "@stemwright/contract";
import { sql } from "kysely";
import type { DatabaseHandle } from "../db/database.ts";
import { readTotals } from "../db/operation/service-totals.ts";
import { IS_ALIVE } from "../db/operation/worker-rows.ts";
import { IS_RUNNING, IS_WAITING } from "../db/tasks/waiting-tasks.ts";

type Row = {
  waiting: number;
  active: number;
  retrying: number;
  oldest: Date | null;
  audio_seconds: number;
  seconds_per_second: number;
};

/** Assumed length of a Task if no lengths are known: a song. */
const USUAL_SECONDS = 200;
/** Assumed if no worker has finished anything yet. */
const USUAL_SPEED = 1;

/** Counts Tasks by state. Those scheduled for later do not count as waiting. */
export async function readQueues(db: DatabaseHandle): Promise<QueueState[]> {
  const { rows } = await sql<Row>`
    select line.*,
      (select count(*) from tasks where ${IS_RUNNING}) as active,
      (select coalesce(sum(engine_seconds) / nullif(sum(audio_seconds), 0), ${USUAL_SPEED})
        from workers where ${IS_ALIVE}) as seconds_per_second
    from (
      select count(*) as waiting, count(due_at) as retrying, min(created_at) as oldest,
        coalesce(sum(expected_audio_seconds), 0)
          + count(*) filter (where expected_audio_seconds is null) * coalesce(avg(expected_audio_seconds), ${USUAL_SECONDS})
          as audio_seconds
      from tasks where ${IS_WAITING}) as line`.execute(db);
  const totals = await readTotals(db);
  return rows.map(({ waiting, active, retrying, oldest, audio_seconds, seconds_per_second }) => ({
    name: "task",
    waiting: waiting - retrying,
    active,
    retrying,
    completed: totals.get("runs completed") ?? 0,
    failed: totals.get("runs failed") ?? 0,
    oldestWaitingAt: oldest?.toISOString() ?? null,
    waitingWorkSeconds: audio_seconds * seconds_per_second,
  }));
}
