import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEmptyDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { BASELINE, KNOWN_MIGRATIONS } from "./known-migrations.ts";
import { migrate } from "./migrate.ts";
import { findSchemaFault } from "./schema-fault.ts";
import { describeSchema } from "./support/describe-schema.ts";

const FIRST_RELEASE = join(import.meta.dirname, "../../../../test/upgrade/0.1.0.sql");

let database: TestDatabase;
beforeEach(async () => {
  database = await openEmptyDatabase();
});
afterEach(() => database.close());

/** A database that is not migrated yet, with a lock of a reader. */
async function openReader() {
  const { pool } = database;
  await pool.query(await readFile(FIRST_RELEASE, "utf8"));
  const reader = await pool.connect();
  await reader.query("begin");
  await reader.query("select from public.tasks");
  return reader;
}

const note = (name: string, needs: string | null) =>
  database.pool.query("insert into schema_migrations (name, needs) values ($1, $2)", [name, needs]);

describe("a migration", () => {
  it("[S9] that can't get its locks lets other sessions pass and retries", async () => {
    const reader = await openReader();
    const locked: string[] = [];
    const applied = await migrate(database.pool, {
      lockTimeoutMs: 50,
      onLocked(name) {
        locked.push(name);
        void reader.query("commit");
      },
    });
    reader.release();
    expect([locked, applied]).toEqual([[BASELINE], [...KNOWN_MIGRATIONS]]);
  });

  it("[S9] that never gets its locks fails, is named in the error, and changes nothing", async () => {
    const reader = await openReader();
    await expect(migrate(database.pool, { lockTimeoutMs: 50, lockTries: 1 })).rejects.toThrow(
      `migration ${BASELINE} failed`,
    );
    await reader.query("commit");
    reader.release();
    expect(await findSchemaFault(database.db)).toMatchObject({ kind: "too-old" });
  });
});

describe("a schema", () => {
  it("[S9] is too old while it lacks a migration of the release", async () => {
    await migrate(database.pool);
    expect(await findSchemaFault(database.db)).toBeUndefined();
    await database.pool.query("delete from schema_migrations where name = $1", [BASELINE]);
    const fault = {
      kind: "too-old",
      message: expect.stringMatching(`lacks ${BASELINE}( and \\d+ more)?. Run`),
    };
    expect(await findSchemaFault(database.db)).toMatchObject(fault);
    await database.pool.query("drop table schema_migrations");
    expect(await findSchemaFault(database.db)).toMatchObject(fault);
  });

  it("[S9] of another program, or of a version too old to upgrade, is refused and not changed", async () => {
    const { pool } = database;
    await pool.query(
      "create table schema_migrations (name text primary key, applied_at timestamptz, needs text)",
    );
    await note("0001_house.sql", null);
    const before = await describeSchema(pool);
    await expect(migrate(pool)).rejects.toThrow(
      /lacks 0123_machines_of_spans.sql: it belongs to another program/,
    );
    expect(await describeSchema(pool)).toEqual(before);
  });

  it("[S9] of a later release works as long as nothing in use was removed", async () => {
    await migrate(database.pool);
    await note("9000_more.sql", null);
    await note("9001_less.sql", BASELINE);
    expect(await findSchemaFault(database.db)).toBeUndefined();
    await note("9002_lesser.sql", "9000_more.sql");
    expect(await findSchemaFault(database.db)).toMatchObject({
      kind: "too-new",
      message: expect.stringContaining("knows 9000_more.sql"),
    });
  });
});
