import pg from "pg";
import { inject } from "vitest";
import { openDatabase } from "../../packages/server/db/connection/open-database.ts";
import type { Database } from "../../packages/server/db/database.ts";
import { migrate } from "../../packages/server/db/schema/migrate.ts";
import { makeId } from "../../packages/server/domain/ids.ts";

const INSUFFICIENT_PRIVILEGE = "42501";

export type TestDatabase = { url: string; db: Database; pool: pg.Pool; close(): Promise<void> };

/** A new, migrated database on the run's server. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const database = await openEmptyDatabase();
  await migrate(database.pool);
  return database;
}

/** A new database on the run's server, without a schema. */
export async function openEmptyDatabase(): Promise<TestDatabase> {
  const serverUrl = inject("postgresUrl");
  const name = `test_${makeId()}`;
  await runOnServer(serverUrl, `create database ${name}`);
  const url = serverUrl.replace(/\/stemwright\?/, `/${name}?`);
  const { db, pool } = openDatabase({ connectionString: url, maxConnections: 5 });
  return {
    url,
    db,
    pool,
    async close() {
      await db.destroy();
      await runOnServer(serverUrl, `drop database ${name} with (force)`).catch(ignoreOwnVacuum);
    },
  };
}

/** The server may be vacuuming the database, a process we can't terminate. The database is then removed with the server. */
function ignoreOwnVacuum(error: Error & { code?: string }): void {
  if (error.code !== INSUFFICIENT_PRIVILEGE) throw error;
}

async function runOnServer(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
