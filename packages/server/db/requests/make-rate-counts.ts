import { sql } from "kysely";
import type { RateCounts } from "../../domain/requests/rate-counts.ts";
import type { DatabaseHandle } from "../database.ts";

/** Much longer than a window. */
const KEPT = sql`interval '1 minute'`;

export function makeRateCounts(db: DatabaseHandle): RateCounts {
  return {
    async add(asks, windowMs) {
      const window = sql`${windowMs}::float8 * interval '1 millisecond'`;
      const { rows } = await sql<{ subject: string; total: number; ms_left: number }>`
        insert into rate_counts as known (subject, started_at, total)
        select subject, now(), wanted from unnest(
          ${[...asks.keys()]}::text[], ${[...asks.values()]}::int[]) as asked (subject, wanted)
        order by subject
        on conflict (subject) do update set
          total = excluded.total + case when known.started_at > now() - ${window} then known.total else 0 end,
          started_at = case when known.started_at > now() - ${window} then known.started_at else now() end
        returning subject, total, extract(epoch from started_at + ${window} - now())::float8 * 1000 as ms_left`.execute(
        db,
      );
      return new Map(rows.map(({ subject, total, ms_left }) => [subject, { total, msLeft: ms_left }]));
    },
  };
}

/** Deletes counts without recent requests; returns how many. */
export async function deleteOldRateCounts(db: DatabaseHandle): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from rate_counts where subject in (
      select subject from rate_counts where started_at < now() - ${KEPT} for update skip locked)`.execute(db);
  return Number(numAffectedRows ?? 0);
}
