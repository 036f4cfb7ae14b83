import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { openFileBlobs } from "../packages/server/blobs/file-blobs.ts";
import { changeClient, insertClient } from "../packages/server/db/accounts/client-rows.ts";
import { insertAsset } from "../packages/server/db/assets/asset-rows.ts";
import { openDatabase } from "../packages/server/db/connection/open-database.ts";
import type { Database } from "../packages/server/db/database.ts";
import { startEmbeddedPostgres } from "../packages/server/db/embedded-postgres/embedded-postgres.ts";
import { countTargets } from "../packages/server/db/operation/count-targets.ts";
import { migrate } from "../packages/server/db/schema/migrate.ts";
import { openVault } from "../packages/server/db/secrets/open-vault.ts";
import { releaseTaskLock } from "../packages/server/db/tasks/task-locks.ts";
import { findTask } from "../packages/server/db/tasks/task-rows.ts";
import { claimTask } from "../packages/server/db/tasks/task-run-rows.ts";
import { makeId } from "../packages/server/domain/ids.ts";
import { readQueues } from "../packages/server/queue/read-queues.ts";
import { makeStores } from "../packages/server/start/make-stores.ts";
import { makeTempDir } from "../test/support/temp-dir.ts";
import { finishAll, type RunEngine, startWorkerWithoutNetwork } from "../test/support/test-worker.ts";
import { describeRun } from "./machine.ts";

/*
 * How Tasks of several clients share the workers, and what claiming them costs. Real workers and a real database, all on this machine; the engine only
 * waits. `npm run bench fairness -- [FINISHED]` first fills the table with that many finished Tasks.
 */
const [finishedTasks = "1000000"] = process.argv.slice(2);
const TASK_MS = 500;
const TASKS_OF_A = 200;
const IDLE_MS = 30_000;
const IDLE_WORKERS = 5;
const CLAIMS = 300;
const FILL_BATCH = 250_000;

const lines: string[] = [];
const report = (...added: string[]) => {
  lines.push(...added);
  for (const line of added) console.log(line);
};

type Bench = { db: Database; pool: pg.Pool; connectionString: string; dataDir: string };
type Workers = Awaited<ReturnType<typeof startWorkerWithoutNetwork>>[];

async function startWorkers(bench: Bench, count: number, run: RunEngine): Promise<Workers> {
  const { connectionString, dataDir } = bench;
  const blobs = await openFileBlobs(join(dataDir, "blobs"));
  const options = { connectionString, blobs, workDir: join(dataDir, "work"), run };
  return await Promise.all(Array.from({ length: count }, () => startWorkerWithoutNetwork(options)));
}
const closeWorkers = (workers: Workers) => Promise.all(workers.map(({ close }) => close()));

/** An account with an asset, and a function that creates Tasks like the API does. */
async function addClient(
  bench: Bench,
): Promise<{ id: string; create(): Promise<{ id: string; place: number }> }> {
  const { db, dataDir } = bench;
  const [id, assetId] = [makeId(), makeId()];
  await insertClient(db, { id, name: "Bench" });
  const rules = { clientRunningMax: 0, clientWaitingMax: 0, longTaskSeconds: 0 };
  const vault = openVault({ key: undefined, keyFile: join(dataDir, "encryption.key") });
  const uploadRules = { expiryHours: 24, unfinishedMaxBytes: 0, defaultQuotaBytes: 0 };
  const { tasks } = makeStores(db, { rules, uploadRules, vault });
  const blobs = await openFileBlobs(join(dataDir, "blobs"));
  const blobKey = `assets/${assetId}/a.wav`;
  await writeFile(join(dataDir, assetId), "sound");
  const { sizeBytes } = await blobs.adopt(blobKey, join(dataDir, assetId));
  const file = { name: "a.wav", format: "wav", sizeBytes, blobKey };
  await insertAsset(db, { id: assetId, clientId: id, ...file, createdAt: new Date() });
  return {
    id,
    async create() {
      const target = { id: makeId(), model: "vocals", formats: ["wav"], creditsPerMinute: 1 };
      const known = { assetId, audioSeconds: 60, createdAt: new Date() };
      const task = { id: makeId(), clientId: id, ...known, targets: [target] };
      const { queuePosition } = await tasks.insertTask(task, []);
      return { id: task.id, place: queuePosition };
    },
  };
}

async function waitUntil(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await wait(5);
}
const countFinished = async (pool: pg.Pool, clientId: string) =>
  Number(
    (
      await pool.query("select count(*) from tasks where client_id = $1 and completed_at is not null", [
        clientId,
      ])
    ).rows[0].count,
  );

const waitMs: RunEngine = async (request, hooks) => {
  await wait(TASK_MS);
  await finishAll(request, hooks);
};

async function measureFairness(bench: Bench, workerCount: number): Promise<void> {
  const [a, b] = [await addClient(bench), await addClient(bench)];
  for (let count = 0; count < TASKS_OF_A; count += 1) await a.create();
  const workers = await startWorkers(bench, workerCount, waitMs);
  await waitUntil(async () => (await countFinished(bench.pool, a.id)) >= 2 * workerCount);
  const createdMs = performance.now();
  const { id, place } = await b.create();
  await waitUntil(async () => (await findTask(bench.db, id))?.isRunning !== false);
  const waitedMs = performance.now() - createdMs;
  const { rows } = await bench.pool.query<{ ms: number }>(
    "select avg(extract(epoch from completed_at - run_started_at) * 1000)::float8 as ms from tasks where client_id = $1 and completed_at is not null",
    [a.id],
  );
  const taskMs = rows[0]?.ms ?? 0;
  const left = TASKS_OF_A - (await countFinished(bench.pool, a.id));
  report(
    `| ${workerCount} | ${left} | ${place} | ${taskMs.toFixed(0)} | ${waitedMs.toFixed(0)} | ${(waitedMs / taskMs).toFixed(2)} |`,
  );
  await closeWorkers(workers);
  await bench.pool.query("delete from tasks where client_id = any($1)", [[a.id, b.id]]);
}

async function measureWeights(bench: Bench): Promise<void> {
  const [a, b] = [await addClient(bench), await addClient(bench)];
  await changeClient(bench.db, b.id, { weight: 3 });
  for (let count = 0; count < 60; count += 1) await Promise.all([a.create(), b.create()]);
  const order: string[] = [];
  const run: RunEngine = async (request, hooks) => {
    order.push(request.cacheUser?.scope ?? "");
    await finishAll(request, hooks);
  };
  const workers = await startWorkers(bench, 2, run);
  await waitUntil(async () => order.length >= 60);
  await closeWorkers(workers);
  const share = order.slice(0, 60).filter((client) => client === b.id).length / 60;
  report(
    `- of two clients with weights 1 and 3, the second had ${(100 * share).toFixed(0)} % of the first 60 turns`,
  );
  await bench.pool.query("delete from tasks where client_id = any($1)", [[a.id, b.id]]);
}

const toPart = (values: number[], part: number) =>
  values.toSorted((x, y) => x - y)[Math.floor(values.length * part)] ?? 0;
const toMedian = (values: number[]) => toPart(values, 0.5);

async function measurePause(bench: Bench): Promise<void> {
  const client = await addClient(bench);
  for (let count = 0; count < CLAIMS; count += 1) await client.create();
  const pauses: number[] = [];
  let endedMs = 0;
  const workers = await startWorkers(bench, 1, async (request, hooks) => {
    if (endedMs > 0) pauses.push(performance.now() - endedMs);
    await finishAll(request, hooks);
    endedMs = performance.now();
  });
  await waitUntil(async () => (await countFinished(bench.pool, client.id)) === CLAIMS);
  await closeWorkers(workers);
  report(
    `- from the end of a Task to the engine's start on the next: ${toMedian(pauses).toFixed(1)} ms (median), ${toPart(pauses, 0.95).toFixed(1)} ms (95 %), ${Math.max(...pauses).toFixed(1)} ms at most of ${pauses.length}`,
  );
}

async function measureIdle(bench: Bench): Promise<string> {
  const read = async () => {
    const { rows } = await bench.pool.query(
      "select pg_stat_get_db_xact_commit(oid) + pg_stat_get_db_xact_rollback(oid) as transactions, (select count(*) from pg_stat_activity where datname = current_database()) as connections from pg_database where datname = current_database()",
    );
    return rows[0] as { transactions: number; connections: number };
  };
  const before = await read();
  const workers = await startWorkers(bench, IDLE_WORKERS, finishAll);
  // Excludes the start; sessions report their transactions at most once a second.
  await wait(12_000);
  const from = await read();
  await wait(IDLE_MS);
  const to = await read();
  await closeWorkers(workers);
  const perSecond = (to.transactions - from.transactions) / (IDLE_MS / 1000);
  const connections = (to.connections - before.connections) / IDLE_WORKERS;
  return `- ${IDLE_WORKERS} idle workers: ${connections.toFixed(1)} connections each, and together ${perSecond.toFixed(1)} transactions a second, ${(perSecond / IDLE_WORKERS).toFixed(2)} each, including the supervisor's`;
}

async function fillFinished(pool: pg.Pool, clientId: string, wanted: number): Promise<void> {
  // Without triggers: checking references and totals row by row takes longer than all the rest.
  await pool.query("alter table tasks disable trigger user");
  await pool.query("alter table targets drop constraint if exists targets_task_id_fkey");
  await pool.query("alter table tasks drop constraint if exists tasks_client_id_fkey");
  for (let first = 1; first <= wanted; first += FILL_BATCH) {
    const last = Math.min(wanted, first + FILL_BATCH - 1);
    await pool.query(
      "insert into tasks (id, client_id, url, created_at, completed_at, run_token) select 'done-' || n, $3, 'https://x.example', now() - n * interval '1 second', now(), 'run' from generate_series($1::int, $2::int) n",
      [first, last, clientId],
    );
    await pool.query(
      "insert into targets (id, task_id, position, model, formats, options, credits_per_minute, status, progress, cost, duration_seconds, finished_at) select 'target-' || n, 'done-' || n, 0, 'vocals', '{wav}', '{}', 1, 'completed', 1, 1, 60, now() from generate_series($1::int, $2::int) n",
      [first, last],
    );
  }
  await pool.query("vacuum analyze");
}

const timeOf = async (work: () => Promise<unknown>) => {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
};

/** What claiming a Task, computing a queue position and reading metrics cost with this many clients waiting. */
async function measureCosts(bench: Bench, finished: number, clients: number): Promise<void> {
  const { db, pool } = bench;
  await pool.query(
    "insert into clients (id, name) select 'waiting-' || n, 'Bench' from generate_series(1, $1::int) n on conflict do nothing",
    [clients],
  );
  await pool.query(
    "insert into tasks (id, client_id, url, created_at) select 'w-' || c || '-' || n, 'waiting-' || c, 'https://x.example', now() from generate_series(1, $1::int) c, generate_series(1, greatest(1, 10000 / $1::int)) n",
    [clients],
  );
  await pool.query("analyze tasks");
  const claims: number[] = [];
  await db.connection().execute(async (session) => {
    for (let turn = 0; turn < CLAIMS; turn += 1) {
      const token = makeId();
      let taskId = "";
      claims.push(
        await timeOf(async () => {
          taskId =
            (await claimTask(session, { workerId: "bench", token, clientRunningMax: 0 }))?.taskId ?? "";
        }),
      );
      await releaseTaskLock(session, taskId);
    }
  });
  const places = [];
  for (let turn = 0; turn < 50; turn += 1)
    places.push(await timeOf(() => findTask(db, `w-${clients}-${Math.max(1, Math.floor(10000 / clients))}`)));
  const metrics = [];
  for (let turn = 0; turn < 20; turn += 1)
    metrics.push(await timeOf(() => Promise.all([readQueues(db), countTargets(db)])));
  report(
    `| ${finished.toLocaleString("en")} | ${clients} | ${toMedian(claims).toFixed(2)} | ${toMedian(places).toFixed(2)} | ${toMedian(metrics).toFixed(1)} |`,
  );
  await pool.query("delete from tasks where id like 'w-%'");
  await pool.query("delete from clients where id like 'waiting-%'");
}

async function main(): Promise<void> {
  const dataDir = await makeTempDir("fairness");
  const postgres = await startEmbeddedPostgres({ dataDir });
  const { connectionString } = postgres;
  const { db, pool } = openDatabase({ connectionString, maxConnections: 4 });
  try {
    await migrate(pool);
    const bench = { db, pool, connectionString, dataDir };
    report("# Fairness", "", ...describeRun());
    // First: an unused server has no background clean-up to do.
    const idle = await measureIdle(bench);
    report(
      `- real workers with an engine that only waits, one PostgreSQL, all on this machine: \`npm run bench fairness\``,
    );
    report(
      "",
      `## One Task of B behind ${TASKS_OF_A} of A`,
      "",
      `The engine takes ${TASK_MS} ms. B arrives after some of A's Tasks have ended, at a random point of the next.`,
      "",
    );
    report(
      "| workers | A's Tasks left | B's place when created | a Task took ms | B waited ms | in Tasks' durations |",
    );
    report("|---|---|---|---|---|---|");
    for (const count of [1, 4]) await measureFairness(bench, count);
    report("", "## Workers", "");
    await measureWeights(bench);
    await measurePause(bench);
    report(idle);
    report(
      "",
      "## Cost for the database",
      "",
      "With 10,000 Tasks waiting; median times in ms as seen by the caller.",
      "",
    );
    report(
      "| finished Tasks | clients waiting | taking a Task | reading a waiting Task with its place | counts for /metrics |",
    );
    report("|---|---|---|---|---|");
    const { id: filler } = await addClient(bench);
    for (const finished of [0, Number(finishedTasks)]) {
      await fillFinished(pool, filler, finished);
      for (const clients of [1, 10, 100, 1000]) await measureCosts(bench, finished, clients);
    }
    await writeFile(join(import.meta.dirname, "results", "fairness.md"), `${lines.join("\n")}\n`);
  } finally {
    await db.destroy();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

await main();
