import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Stemwright } from "@stemwright/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { restoreBackup } from "../../packages/server/backup/restore-backup.ts";
import { openFileBlobs } from "../../packages/server/blobs/file-blobs.ts";
import { type Config, loadConfig } from "../../packages/server/config/load-config.ts";
import { dumpRows, listTables } from "../../packages/server/db/backup/dump-rows.ts";
import { KNOWN_MIGRATIONS } from "../../packages/server/db/schema/known-migrations.ts";
import { migrate } from "../../packages/server/db/schema/migrate.ts";
import { describeSchema } from "../../packages/server/db/schema/support/describe-schema.ts";
import { makeLog } from "../../packages/server/log/make-log.ts";
import { startApi } from "../../packages/server/start/start-api.ts";
import { makeTempDir } from "../support/temp-dir.ts";
import { openEmptyDatabase, openTestDatabase, type TestDatabase } from "../support/test-database.ts";

/** The account's key and signing secret in the dump and the backup, and what its secrets are encrypted with. */
const KEY = "sw_0FirstReleaseKeyForTheTestOfUpgrades00000";
const SIGNING_SECRET = "whsec_GYe4hV+qTYIjVT6NsVBnl5B3urW5IhA+3omIvnmoMlM=";
const ENCRYPTION_KEY = Buffer.alloc(32, "first release").toString("base64");

type Place = { database: TestDatabase; config: Config };

async function upgrade({ database, config }: Place): Promise<void> {
  await database.pool.query(await readFile(join(import.meta.dirname, "0.1.0.sql"), "utf8"));
  await migrate(database.pool);
  const { rows } = await database.pool.query<{ blob_key: string }>("select blob_key from outputs");
  for (const { blob_key } of rows) {
    const path = join(config.blobsDir, blob_key);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, "stem");
  }
}

async function restore({ database, config }: Place): Promise<void> {
  const path = join(config.dataDir, "0.1.0.tar");
  await writeFile(path, gunzipSync(await readFile(join(import.meta.dirname, "0.1.0.tar.gz"))));
  const blobs = await openFileBlobs(config.blobsDir);
  await restoreBackup({ databaseUrl: database.url, blobs, encryption: config.encryption }, path);
}

async function listRows({ pool }: TestDatabase): Promise<string[]> {
  const client = await pool.connect();
  const lines: string[] = [];
  await client.query("begin");
  for (const { name } of await listTables(client))
    for await (const { text } of dumpRows(client, name))
      lines.push(
        ...text
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => `${name} ${line}`),
      );
  await client.query("commit");
  client.release();
  return lines.sort();
}

const databases: TestDatabase[] = [];
const folders: string[] = [];
async function makePlace(): Promise<Place> {
  const dataDir = await makeTempDir("upgrade");
  folders.push(dataDir);
  const database = await openEmptyDatabase();
  databases.push(database);
  return {
    database,
    config: loadConfig({ PORT: "0", DATA_DIR: dataDir, RATE_LIMIT_PER_SECOND: "0", ENCRYPTION_KEY }),
  };
}
afterAll(async () => {
  for (const database of databases) await database.close();
  for (const dir of folders) await rm(dir, { recursive: true, force: true });
});

describe.each([
  ["a database of the first release", upgrade],
  ["a backup of the first release", restore],
])("%s", (_, bring) => {
  let place: Place;
  let client: Stemwright;
  let api: Awaited<ReturnType<typeof startApi>>;
  beforeAll(async () => {
    place = await makePlace();
    await bring(place);
    const log = makeLog({ logLevel: "silent", logFile: undefined }, "api");
    api = await startApi({ config: place.config, databaseUrl: place.database.url, log });
    client = new Stemwright({ baseUrl: api.address, apiKey: KEY });
  });
  afterAll(() => api.close());

  it("[S27] has every later migration", async () => {
    const { rows } = await place.database.pool.query<{ name: string }>("select name from schema_migrations");
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining([...KNOWN_MIGRATIONS]));
  });

  it("[S27] has the schema of a new database", async () => {
    const fresh = await openTestDatabase();
    databases.push(fresh);
    expect(await describeSchema(place.database.pool)).toEqual(await describeSchema(fresh.pool));
  });

  it("[S27] its key, Tasks, secrets and download links work", async () => {
    const tasks = [];
    for await (const task of client.tasks.list()) tasks.push(task);
    expect(tasks.map(({ targets }) => targets.map(({ model, status }) => [model, status]))).toEqual([
      [["drums", "processing"]],
      [["vocals", "completed"]],
    ]);
    const finished = await client.tasks.get(tasks[1]?.id ?? "");
    expect(finished).toMatchObject({ metadata: "from 0.1.0", cost: 2, targets: [{ residual: true }] });
    const [output] = finished.targets[0]?.output ?? [];
    expect(await (await fetch(output?.link ?? "")).text()).toBe("stem");
    const response = await fetch(new URL("/webhooks/secret", api.address), { headers: { "x-api-key": KEY } });
    expect(await response.json()).toEqual({ secret: SIGNING_SECRET });
    const cancelled = await client.tasks.cancel(tasks[0]?.id ?? "");
    expect(cancelled.completedAt).not.toBeNull();
  });
});

it("[S26] [S27] an upgrade and a restored backup have the same rows, to the last byte of a number", async () => {
  const [upgraded, restored] = [await makePlace(), await makePlace()];
  await upgrade(upgraded);
  await restore(restored);
  const rows = await listRows(upgraded.database);
  expect(await listRows(restored.database)).toEqual(rows);
  expect(rows.filter((row) => row.startsWith("quota_holds"))).toEqual([
    expect.stringContaining("9007199254740993"),
  ]);
});
