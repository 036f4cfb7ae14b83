import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabaseProxy } from "../../../../test/support/database-proxy.ts";
import { fenceDatabase } from "../../../../test/support/fence-database.ts";
import { startSilentServer } from "../../../../test/support/silent-server.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { isOutOfReach } from "../../faults/is-out-of-reach.ts";
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

describe("a server that takes no writes", () => {
  it("[S35] is out of reach: a connection to it is refused, as are writes on those that were open, which are closed", async () => {
    const { pool } = openDatabase({
      connectionString: database.url,
      maxConnections: 2,
      statementTimeoutMs: 5000,
    });
    const [writer, idle] = [await pool.connect(), await pool.connect()];
    idle.release();
    await writer.query("set default_transaction_read_only = on");
    const failure = await writer.query("create table written (a int)").catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "25006" });
    expect(isOutOfReach(failure)).toBe(true);
    writer.release();
    await expect.poll(() => pool.totalCount).toBe(0);
    await fenceDatabase(database.url, { isFenced: true });
    await expect(pool.query("select 1")).rejects.toMatchObject({ name: "ReadOnlyServer", code: "25006" });
    await fenceDatabase(database.url, { isFenced: false });
    expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });
});

describe("several hosts", () => {
  const withHosts = (hosts: string[]) =>
    database.url.replace(/host=[^&]*&port=(\d+)|port=(\d+)&host=[^&]*/, (_all, one, other) => {
      const own = new URL(database.url.replace("@/", "@local/")).searchParams.get("host") ?? "";
      const named = hosts.map((host) => encodeURIComponent(host === "own" ? own : host));
      return `host=${named.join(",")}&port=${one ?? other}`;
    });

  it("[S35] are tried until one accepts writes, and again when that is gone", async () => {
    await using silent = await startSilentServer();
    const proxy = await openDatabaseProxy(database.url);
    const proxyDir = new URL(proxy.url.replace("@/", "@local/")).searchParams.get("host") ?? "";
    const port = new URL(database.url.replace("@/", "@local/")).searchParams.get("port") ?? "";
    const url = withHosts(["127.0.0.1", proxyDir, "own"]).replace(
      /port=\d+/,
      `port=${silent.port},${port},${port}`,
    );
    const { pool } = openDatabase({ connectionString: url, maxConnections: 1, statementTimeoutMs: 5000 });
    const before = proxy.mostConnections();
    expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    proxy.cut();
    await expect
      .poll(() =>
        pool.query("select 1 as one").then(
          ({ rows }) => rows,
          () => [],
        ),
      )
      .toEqual([{ one: 1 }]);
    expect(proxy.mostConnections()).toBeGreaterThan(before);
    await pool.end();
    await proxy[Symbol.asyncDispose]();
  });

  it("[S35] of which none accepts writes are out of reach, with the reason of each", async () => {
    const { pool } = openDatabase({
      connectionString: withHosts(["/nowhere", "/elsewhere"]),
      maxConnections: 1,
    });
    const failure = await pool.query("select 1").catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: "08001",
      message: expect.stringMatching(/^no host accepts writes \(\/nowhere:.*ENOENT.*; \/elsewhere:.*ENOENT/),
    });
    expect(isOutOfReach(failure)).toBe(true);
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
