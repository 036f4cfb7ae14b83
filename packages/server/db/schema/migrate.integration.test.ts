import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { migrate } from "./migrate.ts";
import { findSchemaFault } from "./schema-fault.ts";

const NAME = "0095_needed_release.sql";

let database: TestDatabase;
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(() => database.close());

/** The last migration is not applied yet, and a reader holds a lock on its table. */
async function openReader() {
  const { pool } = database;
  await pool.query("delete from schema_migrations where name = $1", [NAME]);
  await pool.query("alter table schema_migrations drop column needs");
  const reader = await pool.connect();
  await reader.query("begin");
  await reader.query("select from schema_migrations");
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
    expect([locked, applied]).toEqual([[NAME], [NAME]]);
  });

  it("[S9] that never gets its locks fails, is named in the error, and changes nothing", async () => {
    const reader = await openReader();
    await expect(migrate(database.pool, { lockTimeoutMs: 50, lockTries: 1 })).rejects.toThrow(
      `migration ${NAME} failed`,
    );
    await reader.query("commit");
    reader.release();
    expect(await findSchemaFault(database.db)).toMatchObject({ kind: "too-old" });
  });
});

describe("a schema", () => {
  it("[S9] is too old while it lacks a migration of the release", async () => {
    expect(await findSchemaFault(database.db)).toBeUndefined();
    await database.pool.query("delete from schema_migrations where name = $1", [NAME]);
    expect(await findSchemaFault(database.db)).toMatchObject({
      kind: "too-old",
      message: expect.stringContaining(`lacks ${NAME}. Run`),
    });
    await database.pool.query("drop table schema_migrations");
    expect(await findSchemaFault(database.db)).toMatchObject({
      message: expect.stringMatching(/lacks 0001_house.sql and \d+ more/),
    });
  });

  it("[S9] of a later release works as long as nothing in use was removed", async () => {
    await note("9000_more.sql", null);
    await note("9001_less.sql", NAME);
    expect(await findSchemaFault(database.db)).toBeUndefined();
    await note("9002_lesser.sql", "9000_more.sql");
    expect(await findSchemaFault(database.db)).toMatchObject({
      kind: "too-new",
      message: expect.stringContaining("knows 9000_more.sql"),
    });
  });
});
