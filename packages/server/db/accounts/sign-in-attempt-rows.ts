import { sql } from "kysely";
import type { DatabaseHandle } from "../database.ts";

/** Counts an attempt in the current window, or starts a new one. The row lock serialises concurrent attempts. */
export async function countAttempt(
  db: DatabaseHandle,
  subject: Buffer,
  windowSeconds: number,
): Promise<{ attempts: number; resetsInSeconds: number }> {
  const { rows } = await sql<{ attempts: number; resets_in: number }>`
    insert into sign_in_attempts as known (subject, attempts, resets_at)
    values (${subject}, 1, now() + make_interval(secs => ${windowSeconds}))
    on conflict (subject) do update set
      attempts = case when known.resets_at < now() then 1 else least(known.attempts + 1, 1000000) end,
      resets_at = case when known.resets_at < now() then excluded.resets_at else known.resets_at end
    returning attempts, ceil(extract(epoch from resets_at - now()))::int as resets_in`.execute(db);
  const { attempts = 1, resets_in = windowSeconds } = rows[0] ?? {};
  return { attempts, resetsInSeconds: Math.max(1, resets_in) };
}

export async function forgiveAttempts(db: DatabaseHandle, subject: Buffer, count: "all" | 1): Promise<void> {
  await sql`
    update sign_in_attempts set attempts = ${count === "all" ? sql`0` : sql`greatest(0, attempts - 1)`}
    where subject = ${subject}`.execute(db);
}
