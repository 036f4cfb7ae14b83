import { cp, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Asset, Task } from "@stemwright/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findFreePort } from "../faults/find-free-port.ts";
import { makeDetectionRecipe } from "../faults/recipes.ts";
import { makeBalancer } from "../support/balancer.ts";
import { makeCompanyEnvironment } from "../support/company-environment.ts";
import { type MainProcess, startMain } from "../support/main-process.ts";
import { startS3Server } from "../support/s3-server.ts";
import { makeTempDir } from "../support/temp-dir.ts";
import { openEmptyDatabase, type TestDatabase } from "../support/test-database.ts";

const PROJECT_DIR = join(import.meta.dirname, "../..");
const KEY = "sw_RollingUpgradesAreTestedWithThisKeyAlone0";
const BUCKET = "rolling";
const READS_AT_ONCE = 4;
const MAX_FAILED_SHARE = 0.001;
const NEXT = "9000_of_the_next_release.sql";

let dir: string;
let database: TestDatabase;
let store: Awaited<ReturnType<typeof startS3Server>>;
let environment: Record<string, string>;
const running = new Map<string, MainProcess>();

beforeAll(async () => {
  dir = await makeTempDir("rolling");
  database = await openEmptyDatabase();
  store = await startS3Server();
  store.addBucket(BUCKET);
  const { endpoint } = store;
  environment = makeCompanyEnvironment({ databaseUrl: database.url, bucket: BUCKET, endpoint, apiKey: KEY });
});
afterAll(async () => {
  await Promise.all([...running.values()].map((one) => one.stop()));
  await store.close();
  await database.close();
  await rm(dir, { recursive: true, force: true });
});

/** A later release: the same service with one more migration, which only adds. */
async function makeNextRelease(): Promise<string> {
  const server = join(dir, "next", "packages", "server");
  await cp(join(PROJECT_DIR, "packages", "server"), server, {
    recursive: true,
    filter: (path) => !path.endsWith("node_modules") && !path.endsWith(".test.ts"),
  });
  await symlink(join(PROJECT_DIR, "node_modules"), join(dir, "next", "node_modules"));
  await writeFile(
    join(server, "db", "migrations", NEXT),
    "alter table tasks add column of_the_next_release text not null default 'x';",
  );
  return join(server, "main.ts");
}

function start(name: string, own: Record<string, string>, mainPath?: string): MainProcess {
  const one = startMain(
    [name.split("-")[0] ?? ""],
    { ...environment, ...own, DATA_DIR: join(dir, name) },
    mainPath,
  );
  running.set(name, one);
  return one;
}

it("[S9] two APIs and two workers are upgraded under load: no Task is lost, and hardly a request fails", async () => {
  const nextMain = await makeNextRelease();
  const ports = [await findFreePort(), await findFreePort()];
  const balancer = makeBalancer(ports.map((port) => `http://127.0.0.1:${port}`));
  const apis = ports.map((port, index) => ({ name: `api-${index}`, own: { PORT: String(port) } }));
  for (const { name, own } of apis) await start(name, own).waitFor("Stop with");
  for (const name of ["worker-0", "worker-1"]) await start(name, {}).waitFor("worker started");
  await balancer.whenReady(2);

  const headers = { "x-api-key": KEY };
  const { content, filename, targets } = makeDetectionRecipe();
  const form = new FormData();
  form.append("file", new File([content], filename));
  const uploaded = await balancer.send("/assets", { method: "POST", body: form, headers });
  const { id: assetId } = (await uploaded.json()) as Asset;

  const ids: string[] = [];
  let isOver = false;
  async function createTasks(): Promise<void> {
    while (!isOver) {
      const response = await balancer.send("/tasks", {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ assetId, targets }),
      });
      if (response.ok) ids.push(((await response.json()) as Task).id);
      await wait(500);
    }
  }
  async function read(): Promise<void> {
    while (!isOver) await (await balancer.send("/tasks?take=5", { headers })).text();
  }
  const load = [createTasks(), ...Array.from({ length: READS_AT_ONCE }, read)];

  // A worker first: it has to wait for the schema, which the first new API migrates.
  await running.get("worker-0")?.stop();
  const early = start("worker-0", {}, nextMain);
  await early.waitFor("database schema too old");
  for (const { name, own } of apis) {
    await running.get(name)?.stop();
    await start(name, own, nextMain).waitFor("Stop with");
    await balancer.whenReady(2);
  }
  await early.waitFor("worker started");
  await running.get("worker-1")?.stop();
  await start("worker-1", {}, nextMain).waitFor("worker started");
  isOver = true;
  await Promise.all(load);
  balancer.close();

  expect(balancer.failures().slice(0, 5)).toEqual([]);
  expect(balancer.failures().length / balancer.requests()).toBeLessThanOrEqual(MAX_FAILED_SHARE);
  expect(balancer.requests()).toBeGreaterThan(1 / MAX_FAILED_SHARE);
  const findUnfinished = async () => {
    const { rows } = await database.pool.query<{ id: string }>(
      "select id from tasks where completed_at is null",
    );
    return rows.length;
  };
  await expect.poll(findUnfinished, { timeout: 120_000, interval: 200 }).toBe(0);
  const { rows } = await database.pool.query<{ id: string; status: string }>(
    "select tasks.id, status from tasks join targets on targets.task_id = tasks.id",
  );
  expect(rows.map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(["completed"]));
});
