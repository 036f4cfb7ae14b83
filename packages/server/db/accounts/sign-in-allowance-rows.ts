import { sql } from "kysely";
import { type AttemptCounter, countAttempt, toWaitSeconds } from "../../domain/accounts/allowance.ts";
import type { PeopleStore } from "../../domain/accounts/people-store.ts";
import type { DatabaseHandle } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";

/** Locks one row for each counter, always in the same order, so that concurrent attempts are counted one after the other. */
async function holdLevels(db: DatabaseHandle, counters: readonly AttemptCounter[]) {
  const subjects = sql`${counters.map(({ subject }) => subject)}::bytea[]`;
  await sql`
    insert into sign_in_allowances (subject, level, counted_at, expires_at)
    select subject, 0, now(), now() from unnest(${subjects}) as asked (subject) order by subject
    on conflict do nothing`.execute(db);
  const { rows } = await sql<{ subject: Buffer; level: number; age_ms: number }>`
    select subject, level, extract(epoch from clock_timestamp() - counted_at)::float8 * 1000 as age_ms
    from sign_in_allowances where subject = any(${subjects}) order by subject for update`.execute(db);
  return counters.map((counter) => {
    const row = rows.find(({ subject }) => subject.equals(counter.subject));
    return { ...counter, counted: { level: row?.level ?? 0, atMs: -(row?.age_ms ?? 0) } };
  });
}

/** Counts for all or, if one of them has to wait, for none; returns for how many seconds. */
export const countAttempts = (db: DatabaseHandle, counters: readonly AttemptCounter[]): Promise<number> =>
  inTransaction(db, async (transaction) => {
    const held = await holdLevels(transaction, counters);
    const waits = held.map(({ counted, allowance }) => toWaitSeconds(counted, allowance, 0));
    const waitSeconds = Math.max(...waits);
    if (waitSeconds > 0) return waitSeconds;
    const levels = held.map(({ counted, allowance }) => countAttempt(counted, allowance, 0).level);
    const lifetimes = held.map(({ allowance }, index) => (levels[index] ?? 0) * allowance.leakSeconds);
    // Inserted again if the sweeper has removed the row meanwhile.
    await sql`
      insert into sign_in_allowances as known (subject, level, counted_at, expires_at)
      select subject, level, clock_timestamp(), clock_timestamp() + make_interval(secs => lifetime)
      from unnest(${counters.map(({ subject }) => subject)}::bytea[], ${levels}::float8[], ${lifetimes}::float8[])
        as taken (subject, level, lifetime) order by subject
      on conflict (subject) do update
      set level = excluded.level, counted_at = excluded.counted_at, expires_at = excluded.expires_at`.execute(
      transaction,
    );
    return 0;
  });

export async function forgiveAttempts(
  db: DatabaseHandle,
  { all, one }: Parameters<PeopleStore["forgiveAttempts"]>[0],
): Promise<void> {
  await sql`
    update sign_in_allowances
    set level = case when subject = any(${all}::bytea[]) then 0 else greatest(0, level - 1) end
    where subject in (
      select subject from sign_in_allowances where subject = any(${[...all, ...one]}::bytea[])
      order by subject for update)`.execute(db);
}
