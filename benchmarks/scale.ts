import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import { findFirstClientId } from "../packages/server/db/accounts/client-rows.ts";
import { openDatabase } from "../packages/server/db/connection/open-database.ts";
import type { Database } from "../packages/server/db/database.ts";
import { sweepOutputs, sweepTasks } from "../packages/server/db/storage/retention.ts";
import { makeExternalPostgres } from "../test/faults/external-postgres.ts";
import { makeTempDir } from "../test/support/temp-dir.ts";
import { BENCH_KEY, startApiProcess } from "./api-process.ts";
import { fillTasks } from "./fill-tasks.ts";
import { describeRun } from "./machine.ts";
import { percentile } from "./run-clients.ts";

/*
 * The cost of a very large table of Tasks: reads by operators and clients, and how fast old rows are deleted. One API and one PostgreSQL on this machine.
 * `npm run bench scale -- [TASKS]`.
 */
const [wanted = "10000000"] = process.argv.slice(2);
const TASKS = Number(wanted);
const WAITING = 10_000;
const WAITING_CLIENTS = 100;
const READS = 50;
/** Slow requests are made less often. */
const READS_MS = 20_000;
const PURGE_MS = 30_000;
const SECONDS_A_DAY = 86_400;

const lines: string[] = [];
const report = (...added: string[]) => {
  lines.push(...added);
  for (const line of added) console.log(line);
};

async function addWaiting(pool: pg.Pool): Promise<void> {
  await pool.query(
    "insert into clients (id, name) select 'waiting-' || n, 'Bench' from generate_series(1, $1::int) n",
    [WAITING_CLIENTS],
  );
  await pool.query(
    `insert into tasks (id, client_id, url, created_at, expected_audio_seconds)
     select 'w-' || n, 'waiting-' || 1 + n % $2::int, 'https://x.example', now(), 200 from generate_series(1, $1::int) n`,
    [WAITING, WAITING_CLIENTS],
  );
  await pool.query(
    `insert into targets (id, task_id, position, model, formats, options, credits_per_minute)
     select 'w-' || n, 'w-' || n, 0, 'vocals', '{wav}', '{}', 1 from generate_series(1, $1::int) n`,
    [WAITING],
  );
  await pool.query("analyze tasks, targets");
}

async function measureReads(address: string, taskId: string): Promise<void> {
  const reads = [
    "/metrics",
    "/admin/queue",
    "/tasks",
    `/tasks?skip=${TASKS / 2}`,
    "/tasks?status=error",
    "/tasks?search=media.example/77",
    "/tasks/statistics",
    "/tasks/statistics?name=distribution",
    `/tasks/${taskId}`,
  ];
  report("", "| request | reads | first ms | p50 ms | p99 ms |", "|---|---|---|---|---|");
  for (const path of reads) {
    const timesMs: number[] = [];
    const endsMs = performance.now() + READS_MS;
    while (timesMs.length < READS && performance.now() < endsMs) {
      const startedMs = performance.now();
      const response = await fetch(`${address}${path}`, { headers: { "x-api-key": BENCH_KEY } });
      await response.text();
      timesMs.push(performance.now() - startedMs);
      if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
    }
    const sorted = timesMs.toSorted((a, b) => a - b);
    const figures = [timesMs[0] ?? 0, percentile(sorted, 0.5), percentile(sorted, 0.99)];
    report(
      `| \`GET ${path.replace(taskId, "{id}")}\` | ${timesMs.length} | ${figures.map((ms) => ms.toFixed(1)).join(" | ")} |`,
    );
  }
}

/** The sweeper's batches, without its pauses, which are as long as each batch took. */
async function measureRemoval(
  db: Database,
  { name, limit, remove }: { name: string; limit: number; remove: typeof sweepTasks },
): Promise<void> {
  const startedMs = performance.now();
  let removed = 0;
  let longestMs = 0;
  while (performance.now() - startedMs < PURGE_MS) {
    const batchMs = performance.now();
    removed += await db.transaction().execute((tx) => remove(tx, { before: new Date(), limit }));
    longestMs = Math.max(longestMs, performance.now() - batchMs);
  }
  const perSecond = removed / ((performance.now() - startedMs) / 1000);
  report(
    `| ${name} | ${limit} | ${Math.round(perSecond).toLocaleString("en")} | ${longestMs.toFixed(0)} | ${Math.round((perSecond * SECONDS_A_DAY) / 2).toLocaleString("en")} |`,
  );
}

async function reportSizes(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string; heap: number; all: number }>(
    `select name, pg_table_size(name::regclass) as heap, pg_total_relation_size(name::regclass) as all
     from unnest('{tasks,targets,outputs}'::text[]) as name`,
  );
  const gigabytes = (bytes: number) => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
  for (const { name, heap, all } of rows)
    report(`- \`${name}\`: ${gigabytes(heap)}, with its indexes ${gigabytes(all)}`);
}

async function measure(bench: { address: string; db: Database; pool: pg.Pool }): Promise<void> {
  const { address, db, pool } = bench;
  const clientId = (await findFirstClientId(db)) ?? "";
  console.error(`filling the table to ${TASKS} Tasks`);
  const startedMs = performance.now();
  await fillTasks(pool, clientId, TASKS);
  console.error(`filled in ${Math.round((performance.now() - startedMs) / 1000)} s`);
  await addWaiting(pool);
  report(
    "",
    `## ${TASKS.toLocaleString("en")} finished Tasks, ${WAITING.toLocaleString("en")} waiting of ${WAITING_CLIENTS} clients`,
    "",
  );
  await reportSizes(pool);
  const { rows } = await pool.query<{ id: string }>("select id from tasks where client_id = $1 limit 1", [
    clientId,
  ]);
  await measureReads(address, rows[0]?.id ?? "");
  report(
    "",
    "## Deleting old rows",
    "",
    `Oldest first, for ${PURGE_MS / 1000} s each, one process. The sweeper pauses for as long as a batch took, so it deletes half as many.`,
    "",
    "| what | batch | Tasks a second | longest batch ms | a day |",
    "|---|---|---|---|---|",
  );
  for (const limit of [50, 500])
    await measureRemoval(db, { name: "outputs of Tasks", limit, remove: sweepOutputs });
  for (const limit of [50, 500])
    await measureRemoval(db, { name: "Tasks with targets and deliveries", limit, remove: sweepTasks });
}

async function main(): Promise<void> {
  const dir = await makeTempDir("scale");
  const postgres = await makeExternalPostgres(dir, {
    shared_buffers: "1GB",
    max_wal_size: "8GB",
    maintenance_work_mem: "1GB",
  });
  const server = postgres.start();
  const { connectionString } = postgres;
  const api = await startApiProcess(dir, connectionString, { OUTPUT_RETENTION_HOURS: "0" });
  const { db, pool } = openDatabase({ connectionString, maxConnections: 2 });
  try {
    report("# Large tables of Tasks", "", ...describeRun());
    report("- one API and one PostgreSQL (shared_buffers 1 GB) on this machine: `npm run bench scale`");
    await measure({ address: api.address, db, pool });
    await writeFile(join(import.meta.dirname, "results", "scale.md"), `${lines.join("\n")}\n`);
  } finally {
    await db.destroy();
    await api.stop();
    await server.stop();
    postgres.release();
    await rm(dir, { recursive: true, force: true });
  }
}

await main();
