import type { QueueState } from "@stemwright/contract";
import { sql } from "kysely";
import type { DatabaseHandle } from "../db/database.ts";
import { readTotals } from "../db/service-totals.ts";
import { IS_RUNNING, IS_WAITING } from "../db/waiting-tasks.ts";

type Row = { waiting: number; active: number; retrying: number; oldest: Date | null };

/** How many Tasks are in which state. Those that wait for a later time do not count as waiting. */
export async function readQueues(db: DatabaseHandle): Promise<QueueState[]> {
  const { rows } = await sql<Row>`
    select
      (select count(*) from tasks where ${IS_WAITING}) as waiting,
      (select count(*) from tasks where ${IS_RUNNING}) as active,
      (select count(*) from tasks where ${IS_WAITING} and due_at is not null) as retrying,
      (select min(created_at) from tasks where ${IS_WAITING}) as oldest`.execute(db);
  const totals = await readTotals(db);
  return rows.map(({ waiting, active, retrying, oldest }) => ({
    name: "task",
    waiting: waiting - retrying,
    active,
    retrying,
    completed: totals.get("runs completed") ?? 0,
    failed: totals.get("runs failed") ?? 0,
    oldestWaitingAt: oldest?.toISOString() ?? null,
  }));
}
