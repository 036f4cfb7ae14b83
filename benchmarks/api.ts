import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import { findFirstClientId } from "../packages/server/db/accounts/client-rows.ts";
import { insertAsset } from "../packages/server/db/assets/asset-rows.ts";
import { openDatabase } from "../packages/server/db/connection/open-database.ts";
import { listDistribution, listUsage } from "../packages/server/db/credits/usage-rows.ts";
import type { Database } from "../packages/server/db/database.ts";
import { startEmbeddedPostgres } from "../packages/server/db/embedded-postgres/embedded-postgres.ts";
import { listTasks } from "../packages/server/db/tasks/task-rows.ts";
import { makeId } from "../packages/server/domain/ids.ts";
import { makeTempDir } from "../test/support/temp-dir.ts";
import { BENCH_KEY, startApiProcess } from "./api-process.ts";
import { explain } from "./explain.ts";
import { fillTasks } from "./fill-tasks.ts";
import { describeRun } from "./machine.ts";
import { readCpuMs, readMemory } from "./process-figures.ts";
import { type Operation, runClients } from "./run-clients.ts";

/*
 * The API under load with few and with many Tasks in the table. Everything is on this machine: the database, the API in a separate process, and the
 * clients in this one. Bounded in time and in requests.
 */
const { BENCH_SIZES } = process.env;
const SIZES = (BENCH_SIZES ?? "1000,1000000").split(",").map(Number);
const CLIENTS = 100;
const PACE_MS = 1000;
const PACED_MS = 20_000;
const SATURATED_MS = 5000;
const WARM_UP_MS = 15_000;
const MAX_REQUESTS = 20_000;

const lines: string[] = [];
const report = (...added: string[]) => {
  lines.push(...added);
  for (const line of added) console.log(line);
};

/** An asset that is already probed, so that no request has to. */
async function addAsset(db: Database, clientId: string): Promise<string> {
  const id = makeId();
  const media = {
    isReadable: true,
    durationSeconds: 200,
    sampleRateHz: 44_100,
    channels: 2,
    hasVideo: false,
  } as const;
  const file = { name: "song.wav", format: "wav", sizeBytes: 1, blobKey: `assets/${id}/song.wav` };
  await insertAsset(db, { id, clientId, ...file, createdAt: new Date(), media });
  return id;
}

function makeOperations(assetId: string, taskIds: readonly string[]): Operation[] {
  const body = JSON.stringify({ assetId, targets: [{ model: "vocals", formats: ["wav"] }] });
  const anyTaskId = () => taskIds[Math.floor(Math.random() * taskIds.length)] ?? "";
  return [
    { name: "POST /tasks", method: "POST", path: () => "/tasks", body: () => body },
    { name: "GET /tasks/{id}", method: "GET", path: () => `/tasks/${anyTaskId()}` },
    { name: "GET /tasks, 10 newest", method: "GET", path: () => "/tasks" },
    { name: "GET /tasks/statistics", method: "GET", path: () => "/tasks/statistics" },
    // Needs neither key nor database: shows the overhead of the machine and its other load.
    { name: "GET /health/live, to compare", method: "GET", path: () => "/health/live" },
  ];
}

type Bench = {
  api: Awaited<ReturnType<typeof startApiProcess>>;
  postgresPid: number;
  pool: pg.Pool;
  clientId: string;
  assetId: string;
};

async function measure({ api, postgresPid, pool, clientId, assetId }: Bench, size: number): Promise<void> {
  console.error(`filling the table to ${size} Tasks`);
  await fillTasks(pool, clientId, size);
  console.error("measuring");
  const { rows } = await pool.query<{ id: string }>("select id from tasks order by random() limit 1000");
  const operations = makeOperations(
    assetId,
    rows.map(({ id }) => id),
  );
  const load = {
    address: api.address,
    key: BENCH_KEY,
    clients: CLIENTS,
    requestsMax: MAX_REQUESTS,
    operations,
  };
  await runClients({ ...load, durationMs: WARM_UP_MS, paceMs: PACE_MS });
  const before = [await readCpuMs(api.pid), await readCpuMs(postgresPid)];
  const paced = await runClients({ ...load, durationMs: PACED_MS, paceMs: PACE_MS });
  const after = [await readCpuMs(api.pid), await readCpuMs(postgresPid)];
  const { presentMb } = await readMemory(api.pid);
  const requests = [...paced.figures.values()].reduce((sum, figures) => sum + figures.requests, 0);
  const [apiMs, databaseMs] = after.map((value, index) => (value - (before[index] ?? 0)) / requests);
  const saturated = await runClients({ ...load, durationMs: SATURATED_MS });
  const { peakMb } = await readMemory(api.pid);
  report(
    "",
    `## ${size.toLocaleString("en")} Tasks`,
    "",
    `Each client a request every ${PACE_MS / 1000} s, for ${PACED_MS / 1000} s:`,
    "",
    "| request | count | p50 ms | p99 ms | max ms |",
    "|---|---|---|---|---|",
    ...[...paced.figures].map(
      ([name, figures]) =>
        `| ${name} | ${figures.requests} | ${figures.p50Ms.toFixed(1)} | ${figures.p99Ms.toFixed(1)} | ${figures.maxMs.toFixed(1)} |`,
    ),
    "",
    `- CPU time for a request, over all kinds: ${apiMs?.toFixed(2)} ms of the API, ${databaseMs?.toFixed(2)} ms of PostgreSQL`,
    `- as fast as they can: ${Math.round(saturated.perSecond)} requests a second`,
    `- memory of the API: ${presentMb} MB, at most ${peakMb} MB`,
  );
}

async function reportPlans(pool: pg.Pool, clientId: string): Promise<void> {
  const plans: [string, Parameters<typeof explain>[1]][] = [
    ["Statistics, usage", (db) => listUsage(db, clientId, undefined)],
    ["Statistics, distribution", (db) => listDistribution(db, clientId, undefined)],
    ["List, 10 newest", (db) => listTasks(db, clientId, { skip: 0, take: 10 })],
    ["List, 10 after 900,000", (db) => listTasks(db, clientId, { skip: 900_000, take: 10 })],
  ];
  report("", "## Query plans at the last size");
  for (const [title, run] of plans) report("", `### ${title}`, "", "```", await explain(pool, run), "```");
}

async function main(): Promise<void> {
  const dataDir = await makeTempDir("bench");
  const postgres = await startEmbeddedPostgres({ dataDir });
  const api = await startApiProcess(dataDir, postgres.connectionString, {
    // A million Tasks with outputs; sweeping those of two years is not part of this benchmark.
    OUTPUT_RETENTION_HOURS: "0",
  });
  const { db, pool } = openDatabase({ connectionString: postgres.connectionString, maxConnections: 2 });
  try {
    const clientId = (await findFirstClientId(db)) ?? "";
    const assetId = await addAsset(db, clientId);
    report("# The API under load", "", ...describeRun());
    report(
      `- ${CLIENTS} clients of one account on loopback, all Tasks that account's: \`npm run bench api\``,
    );
    const bench = { api, postgresPid: postgres.pid, pool, clientId, assetId };
    for (const size of SIZES) await measure(bench, size);
    await reportPlans(pool, clientId);
    // A run with other sizes is only printed.
    if (BENCH_SIZES === undefined)
      await writeFile(join(import.meta.dirname, "results", "api.md"), `${lines.join("\n")}\n`);
  } finally {
    await db.destroy();
    await api.stop();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

await main();
