import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findFreePort } from "../../../test/faults/find-free-port.ts";
import { openDatabaseProxy } from "../../../test/support/database-proxy.ts";
import { type MainProcess, startMain } from "../../../test/support/main-process.ts";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import {
  openEmptyDatabase,
  openTestDatabase,
  type TestDatabase,
} from "../../../test/support/test-database.ts";

const WAITING = "database out of reach, waiting";
const KEY = randomBytes(32).toString("base64");

let dir: string;
let database: TestDatabase;
const running: MainProcess[] = [];

/** A process of the service with separate folders. */
function start(command: "api" | "worker", environment: Record<string, string>): MainProcess {
  const DATA_DIR = join(dir, `${command}-${running.length}`);
  const one = startMain([command], { PORT: "0", ENCRYPTION_KEY: KEY, DATA_DIR, ...environment });
  running.push(one);
  return one;
}

beforeAll(async () => {
  dir = await makeTempDir("start");
});
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
  await database.close();
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe("a start", () => {
  it.each([
    ["api", /ready at/],
    ["worker", /worker started/],
  ] as const)(
    "[S8] [S2] %s waits for a database that is away, and ends when it is told to although it is away again",
    async (command, sign) => {
      await using proxy = await openDatabaseProxy(database.url);
      proxy.cut();
      const one = start(command, { DATABASE_URL: proxy.url });
      await one.waitFor(WAITING);
      proxy.mend();
      await one.waitFor(sign);
      proxy.cut();
      expect(await one.stop()).toBe(0);
    },
  );

  it("[S8] [S2] Ctrl-C stops a waiting process", async () => {
    await using proxy = await openDatabaseProxy(database.url);
    proxy.cut();
    const one = start("api", { DATABASE_URL: proxy.url, DATABASE_WAIT_SECONDS: "600" });
    await one.waitFor(WAITING);
    expect(await one.stop()).toBe(0);
  });

  it("[S8] [K3] on an empty database a worker waits for the schema, and one of two APIs shows the first key", async () => {
    const empty = await openEmptyDatabase();
    const environment = { DATABASE_URL: empty.url };
    const worker = start("worker", environment);
    await worker.waitFor("database schema too old");
    const apis = [start("api", environment), start("api", environment)];
    await Promise.all([worker.waitFor("worker started"), ...apis.map((api) => api.waitFor(/Stop with/))]);
    expect(apis.filter((api) => api.output().includes("Your API key, shown this once"))).toHaveLength(1);
    await Promise.all(running.splice(0).map((one) => one.stop()));
    await empty.close();
  });

  it("[S35] [K3] is not ready before the key of BOOTSTRAP_API_KEY exists", async () => {
    const empty = await openTestDatabase();
    const [port, key] = [await findFreePort(), "sw_KeyOfTheFirstAccount"];
    const holder = await empty.pool.connect();
    await holder.query("select pg_advisory_lock(hashtextextended('first account', 0))");
    start("api", { DATABASE_URL: empty.url, PORT: String(port), BOOTSTRAP_API_KEY: key });
    const call = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { "x-api-key": key } }).catch(() => undefined);
    await expect.poll(async () => (await call("/health/live"))?.status).toBe(200);
    const early = await call("/health/ready");
    expect([early?.status, await early?.text()]).toEqual([503, expect.stringContaining("is starting")]);
    await holder.query("select pg_advisory_unlock_all()");
    holder.release();
    await expect.poll(async () => (await call("/health/ready"))?.status).toBe(200);
    expect((await call("/tasks"))?.status).toBe(200);
    await Promise.all(running.splice(0).map((one) => one.stop()));
    await empty.close();
  });

  it("[S8] [N2] with another encryption key than the database's is refused", async () => {
    const DATABASE_URL = database.url;
    const first = start("api", { DATABASE_URL });
    await first.waitFor("ready at");
    for (const command of ["api", "worker"] as const) {
      const other = start(command, { DATABASE_URL, ENCRYPTION_KEY: randomBytes(32).toString("base64") });
      expect(await other.ended).toBe(2);
      expect(other.output()).toContain("ENCRYPTION_KEY is not the key");
    }
  });

  it("[S1] reads secrets from files", async () => {
    const path = join(dir, "secret-url");
    await writeFile(path, `${database.url}\n`);
    await start("worker", { DATABASE_URL_FILE: path }).waitFor("worker started");
  });
});
