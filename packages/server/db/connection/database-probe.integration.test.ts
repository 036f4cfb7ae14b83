import { performance } from "node:perf_hooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSilentServer } from "../../../../test/support/silent-server.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { type DatabaseProbe, openDatabaseProbe } from "./database-probe.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

async function ask(probe: DatabaseProbe) {
  const startMs = performance.now();
  const isReady = await probe.isReady();
  return { isReady, isInTime: performance.now() - startMs < 3000 };
}

describe("the database probe", () => {
  it("[G8] reports an unresponsive server within two seconds, however often it is called", async () => {
    await using server = await startSilentServer();
    const probe = openDatabaseProbe(`postgres://127.0.0.1:${server.port}/none`);
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(probe)));
    expect(answers).toEqual(answers.map(() => ({ isReady: false, isInTime: true })));
    expect(server.countConnections()).toBe(1);
    await probe.close();
  });

  it("[G8] reports a stalled connection within two seconds, and uses another the next time", async () => {
    const probe = openDatabaseProbe(database.url);
    expect(await probe.isReady()).toBe(true);
    const { rows } = await database.pool.query<{ pid: number }>(
      "select pid from pg_stat_activity where application_name = 'stemwright probe' and datname = current_database()",
    );
    const pid = rows[0]?.pid ?? 0;
    process.kill(pid, "SIGSTOP");
    try {
      expect(await ask(probe)).toEqual({ isReady: false, isInTime: true });
      expect(await ask(probe)).toEqual({ isReady: true, isInTime: true });
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await probe.close();
  });
});
