import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";

const MIGRATIONS_DIR = join(import.meta.dirname, "migrations");
/** One migrator at a time, however many processes start together; any number that nobody else uses. */
const ADVISORY_LOCK = 7_734_211;

/** Brings the schema up to date: the SQL files in order, each once, each in its own transaction. */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const client = await pool.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [ADVISORY_LOCK]);
    await client.query(
      "create table if not exists schema_migrations (name text primary key, applied_at timestamptz not null default now())",
    );
    const { rows } = await client.query<{ name: string }>("select name from schema_migrations");
    const applied = new Set(rows.map(({ name }) => name));
    const pending = (await readdir(MIGRATIONS_DIR))
      .filter((name) => name.endsWith(".sql") && !applied.has(name))
      .sort();
    for (const name of pending) await applyMigration(client, name);
    return pending;
  } finally {
    await client.query("select pg_advisory_unlock($1)", [ADVISORY_LOCK]).catch(() => {});
    client.release();
  }
}

async function applyMigration(client: pg.PoolClient, name: string): Promise<void> {
  const sql = await readFile(join(MIGRATIONS_DIR, name), "utf8");
  await client.query("begin");
  try {
    await client.query(sql);
    await client.query("insert into schema_migrations (name) values ($1)", [name]);
    await client.query("commit");
  } catch (error) {
    // On a connection that broke there is nothing left to roll back, and the reason is the one to tell.
    await client.query("rollback").catch(() => {});
    throw new Error(`migration ${name} failed`, { cause: error });
  }
}
