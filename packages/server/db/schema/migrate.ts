import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { ADVISORY_LOCKS } from "../advisory-locks.ts";
import { KNOWN_MIGRATIONS } from "./known-migrations.ts";
import { loadMigration, type Migration } from "./load-migration.ts";

/** A statement that waits for a table lock blocks everybody behind it. So it gives up soon, lets them pass, and retries, for five minutes in total. */
const LOCK_TIMEOUT_MS = 2000;
const LOCK_RETRY_MS = 1000;
const LOCK_TRIES = 100;
const LOCK_NOT_AVAILABLE = "55P03";

export type MigrateOptions = {
  /** Applies only these of the missing migrations. */
  only?: ReadonlySet<string>;
  lockTimeoutMs?: number;
  lockTries?: number;
  /** Called each time a migration could not get its locks. */
  onLocked?: (name: string) => void;
};

/** Brings the schema up to date: the migrations in order, each once, each in its own transaction. */
export async function migrate(pool: pg.Pool, options: MigrateOptions = {}): Promise<string[]> {
  const client = await pool.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [ADVISORY_LOCKS.migrator]);
    await client.query(
      "create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null default now(), needs text)",
    );
    const { rows } = await client.query<{ name: string }>("select name from schema_migrations");
    const applied = new Set(rows.map(({ name }) => name));
    const pending = KNOWN_MIGRATIONS.filter(
      (name) => !applied.has(name) && (options.only?.has(name) ?? true),
    );
    for (const name of pending) await applyWhenFree(client, await loadMigration(name, applied), options);
    return pending;
  } finally {
    await client.query("select pg_advisory_unlock($1)", [ADVISORY_LOCKS.migrator]).catch(() => {});
    client.release();
  }
}

async function applyWhenFree(
  client: pg.PoolClient,
  migration: Migration,
  options: MigrateOptions,
): Promise<void> {
  const { name } = migration;
  const { lockTimeoutMs = LOCK_TIMEOUT_MS, lockTries = LOCK_TRIES, onLocked } = options;
  for (let tries = 1; ; tries += 1) {
    try {
      return await applyMigration(client, migration, lockTimeoutMs);
    } catch (error) {
      const isLocked = (error as { code?: string }).code === LOCK_NOT_AVAILABLE;
      if (!isLocked || tries === lockTries) throw new Error(`migration ${name} failed`, { cause: error });
      onLocked?.(name);
      await wait(LOCK_RETRY_MS);
    }
  }
}

async function applyMigration(
  client: pg.PoolClient,
  { name, sql, needs }: Migration,
  lockTimeoutMs: number,
): Promise<void> {
  await client.query("begin");
  try {
    await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
    await client.query(sql);
    await client.query("insert into schema_migrations (name, needs) values ($1, $2)", [name, needs ?? null]);
    await client.query("commit");
  } catch (error) {
    // On a broken connection there is nothing to roll back; the original error is the one to report.
    await client.query("rollback").catch(() => {});
    throw error;
  }
}
