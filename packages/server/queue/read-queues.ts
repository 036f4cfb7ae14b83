import type { QueueState } from "@stemwright/contract";
import { sql } from "kysely";
import type { DatabaseHandle } from "../db/database.ts";

type Row = Omit<QueueState, "oldestWaitingAt"> & { oldestWaitingAt: Date | null };

/** How many jobs of each queue are in which state. Jobs waiting for a later time do not count as waiting. */
export async function readQueues(db: DatabaseHandle): Promise<QueueState[]> {
  const { rows } = await sql<Row>`
    select q.name,
           count(*) filter (where j.state = 'created' and j.start_after <= now()) as waiting,
           count(*) filter (where j.state = 'active') as active,
           count(*) filter (where j.state = 'retry') as retrying,
           count(*) filter (where j.state = 'completed') as completed,
           count(*) filter (where j.state = 'failed') as failed,
           min(j.created_on) filter (where j.state = 'created' and j.start_after <= now()) as "oldestWaitingAt"
    from pgboss.queue q left join pgboss.job j on j.name = q.name
    group by q.name order by q.name`.execute(db);
  return rows.map((row) => ({ ...row, oldestWaitingAt: row.oldestWaitingAt?.toISOString() ?? null }));
}
