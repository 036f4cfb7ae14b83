import { sql } from "kysely";
import type { DatabaseHandle } from "../database.ts";

export type TotalName =
  | "targets completed"
  | "targets error"
  | "tasks completed"
  | "tasks error"
  | "runs completed"
  | "runs failed";

/** Increments each of the totals, in this session's slot. */
export async function addTotals(db: DatabaseHandle, names: readonly TotalName[]): Promise<void> {
  await sql`
    insert into service_totals
    select name, pg_backend_pid() % 64, 1 from unnest(${names.toSorted()}::text[]) as name
    on conflict (name, slot) do update set total = service_totals.total + 1`.execute(db);
}

export async function readTotals(db: DatabaseHandle): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("service_totals")
    .select((eb) => ["name", eb.fn.sum<number>("total").as("total")])
    .groupBy("name")
    .execute();
  return new Map(rows.map(({ name, total }) => [name, total]));
}
