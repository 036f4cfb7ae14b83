import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Stemwright } from "@stemwright/sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadConfig } from "../../packages/server/config/load-config.ts";
import { KNOWN_MIGRATIONS } from "../../packages/server/db/schema/known-migrations.ts";
import { migrate } from "../../packages/server/db/schema/migrate.ts";
import { makeLog } from "../../packages/server/log/make-log.ts";
import { startApi } from "../../packages/server/start/start-api.ts";
import { makeTempDir } from "../support/temp-dir.ts";
import { openEmptyDatabase, type TestDatabase } from "../support/test-database.ts";

/** The account's key in the dump. */
const KEY = "sw_0FirstReleaseKeyForTheTestOfUpgrades00000";

let dataDir: string;
let database: TestDatabase;
let api: Awaited<ReturnType<typeof startApi>>;
beforeAll(async () => {
  dataDir = await makeTempDir("upgrade");
  database = await openEmptyDatabase();
  await database.pool.query(await readFile(join(import.meta.dirname, "0.1.0.sql"), "utf8"));
  await migrate(database.pool);
  const config = loadConfig({ PORT: "0", DATA_DIR: dataDir, RATE_LIMIT_PER_SECOND: "0" });
  const { rows } = await database.pool.query<{ blob_key: string }>("select blob_key from outputs");
  for (const { blob_key } of rows) {
    const path = join(config.blobsDir, blob_key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "stem");
  }
  const log = makeLog({ logLevel: "silent", logFile: undefined }, "api");
  api = await startApi({ config, databaseUrl: database.url, log });
});
afterAll(async () => {
  await api.close();
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});

it("[S27] every later migration is applied to the first release's database", async () => {
  const { rows } = await database.pool.query<{ name: string }>(
    "select name from schema_migrations order by name",
  );
  expect(rows.map(({ name }) => name)).toEqual(KNOWN_MIGRATIONS);
});

it("[S27] its key, Tasks and download links work", async () => {
  const client = new Stemwright({ baseUrl: api.address, apiKey: KEY });
  const tasks = [];
  for await (const task of client.tasks.list()) tasks.push(task);
  expect(tasks.map(({ targets }) => targets.map(({ model, status }) => [model, status]))).toEqual([
    [["drums", "processing"]],
    [["vocals", "completed"]],
  ]);
  const finished = await client.tasks.get(tasks[1]?.id ?? "");
  expect(finished).toMatchObject({ metadata: "from 0.1.0", cost: 2 });
  const [output] = finished.targets[0]?.output ?? [];
  expect(await (await fetch(output?.link ?? "")).text()).toBe("stem");
  const cancelled = await client.tasks.cancel(tasks[0]?.id ?? "");
  expect(cancelled.completedAt).not.toBeNull();
});
