import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { openDatabase } from "./open-database.ts";
import { withDatabase } from "./with-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** A pool of one connection, so that the next query gets the same one or its successor. */
const openOne = (statementTimeoutMs: number) =>
  openDatabase({ connectionString: database.url, maxConnections: 1, statementTimeoutMs });

describe("a connection", () => {
  it("[E9] cancels a statement at its time limit, and serves the next", async () => {
    const { pool } = openOne(200);
    await expect(pool.query("select pg_sleep(60)")).rejects.toMatchObject({ code: "57014" });
    expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });

  it("[E9] on which the server has stalled is closed, and replaced for the next statement", async () => {
    const { pool } = openOne(200);
    const client = await pool.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const pid = rows[0]?.pid ?? 0;
    process.kill(pid, "SIGSTOP");
    try {
      await expect(client.query("select $1::int as one", [1])).rejects.toThrow("Query read timeout");
      // As a transaction would do now. It must not wait for the time limit again.
      await expect(client.query("rollback")).rejects.toThrow("not queryable");
      client.release();
      expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await pool.end();
  });

  it("[S4] that breaks while it is checked out only fails its own work", async () => {
    const { pool } = openOne(5000);
    const client = await pool.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const ended = new Promise((resolve) => client.once("end", resolve));
    await database.pool.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
    await ended;
    await expect(client.query("select 1")).rejects.toThrow("not queryable");
    client.release();
    expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });
});

describe("a database lent to one piece of work", () => {
  it("[K3] leaves no connection open, even if only its pool was used", async () => {
    const { pool } = await withDatabase(database.url, async (opened) => {
      await opened.pool.query("select 1");
      return opened;
    });
    expect([pool.ended, pool.totalCount]).toEqual([true, 0]);
  });
});
