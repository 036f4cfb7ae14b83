import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type pg from "pg";
import { openDatabase } from "../packages/server/db/connection/open-database.ts";
import type { Database } from "../packages/server/db/database.ts";
import { migrate } from "../packages/server/db/schema/migrate.ts";
import { notifyNewTask } from "../packages/server/db/tasks/waiting-tasks.ts";
import type { Blobs } from "../packages/server/domain/ports.ts";
import { makeExternalPostgres } from "../test/faults/external-postgres.ts";
import { makeTempDir } from "../test/support/temp-dir.ts";
import { finishAll, type RunEngine, startWorkerWithoutNetwork } from "../test/support/test-worker.ts";
import { describeRun } from "./machine.ts";
import { readCpuMs } from "./process-figures.ts";
import { percentile } from "./run-clients.ts";

/*
 * The load of a fleet of workers on one PostgreSQL server: real workers with an engine that only waits, many in this process, and a server that they know
 * by its address alone. `npm run bench fleet -- [SIZES] [DATABASE_URL]`, such as 10,100,200. A server of the system, such as Debian's, has other defaults
 * than ours, jit among them: with its address the figures are printed and not stored, without the cores it uses.
 */
const [sizes = "10,50,100,200", givenUrl] = process.argv.slice(2);
const SIZES = sizes.split(",").map(Number);
const CLIENTS = 20;
const TASK_MS = 10_000;
const SETTLE_MS = 8000;
/** Idle sessions publish their counts after up to ten seconds: those of the start must not count. */
const SETTLE_IDLE_MS = 15_000;
const MEASURE_MS = 20_000;
const STEPS = 10;
/** The default: idle workers look for spans too. */
const SPLIT_INPUT_SECONDS = 900;

const lines: string[] = [];
const report = (...added: string[]) => {
  lines.push(...added);
  for (const line of added) console.log(line);
};

/** Files cost the database nothing, but two cores and their disk a lot: they are left out. */
const noFiles: Blobs = {
  write: async () => ({ sizeBytes: 1 }),
  adopt: async () => ({ sizeBytes: 1 }),
  findSize: async () => 1,
  read: () => Promise.reject(new Error("nothing is stored")),
  findBytes: async () => undefined,
  copyTo: (_key, path) => writeFile(path, "x"),
  withLocalFile: () => Promise.reject(new Error("nothing is stored")),
  delete: async () => {},
  check: async () => {},
};

type Bench = {
  db: Database;
  pool: pg.Pool;
  connectionString: string;
  dir: string;
  serverPid: number | undefined;
};

/** This many Tasks of each client, as the API writes them. */
async function addTasks(pool: pg.Pool, count: number): Promise<void> {
  await pool.query(
    "insert into clients (id, name) select 'client-' || n, 'Bench' from generate_series(1, $1::int) n on conflict do nothing",
    [CLIENTS],
  );
  await pool.query(
    `insert into assets (id, client_id, name, format, size_bytes, blob_key, created_at)
     select 'asset-' || n, 'client-' || n, 'a.wav', 'wav', 1, 'assets/asset-' || n || '/a.wav', now() from generate_series(1, $1::int) n
     on conflict do nothing`,
    [CLIENTS],
  );
  await pool.query(
    `with made as (
       insert into tasks (id, client_id, asset_id, created_at, expected_audio_seconds)
       select left(md5(random()::text || n), 26), 'client-' || 1 + n % $2::int, 'asset-' || 1 + n % $2::int, now(), 60
       from generate_series(1, $1::int) n returning id)
     insert into targets (id, task_id, position, model, formats, options, credits_per_minute)
     select left(md5('target' || id), 26), id, 0, 'vocals', '{wav}', '{}', 1 from made`,
    [count, CLIENTS],
  );
  await pool.query("analyze tasks");
  await pool.query("analyze targets");
}

async function startFleet(bench: Bench, size: number, run: RunEngine) {
  const { connectionString, dir } = bench;
  const workDir = join(dir, "work");
  await mkdir(workDir, { recursive: true });
  const workers: Awaited<ReturnType<typeof startWorkerWithoutNetwork>>[] = [];
  for (let count = 0; count < size; count += 20)
    workers.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(20, size - count) }, () =>
          startWorkerWithoutNetwork({
            ...{ connectionString, blobs: noFiles, workDir, run },
            readMemory: async () => process.memoryUsage.rss(),
            spans: {
              fromSeconds: SPLIT_INPUT_SECONDS,
              runSpan: () => Promise.reject(new Error("no input is long")),
            },
          }),
        ),
      )),
    );
  return { close: () => Promise.all(workers.map(({ close }) => close())) };
}

async function readServer({ pool, serverPid }: Bench) {
  const { rows } = await pool.query<{ commits: number; connections: number; done: number }>(
    `select xact_commit as commits, numbackends as connections,
       (select count(*) from tasks where completed_at is not null)::int as done
     from pg_stat_database where datname = current_database()`,
  );
  const [figures = { commits: 0, connections: 0, done: 0 }] = rows;
  // Each figure with its own timestamp: with hundreds of sessions, reading /proc takes seconds, and the middle of it counts.
  const [countedMs, ownMs] = [performance.now(), process.cpuUsage().user / 1000];
  const serverMs = serverPid === undefined ? Number.NaN : await readCpuMs(serverPid);
  return { ...figures, countedMs, ownMs, serverMs, serverReadMs: (countedMs + performance.now()) / 2 };
}

/** Rates of both processes during a period. */
async function measure(bench: Bench, durationMs: number) {
  const from = await readServer(bench);
  await wait(durationMs);
  const to = await readServer(bench);
  const rate = (read: (figures: typeof from) => number) =>
    ((read(to) - read(from)) * 1000) / (to.countedMs - from.countedMs);
  return {
    tasks: rate(({ done }) => done),
    commits: rate(({ commits }) => Number(commits)),
    serverCores: (to.serverMs - from.serverMs) / (to.serverReadMs - from.serverReadMs),
    ownCores: rate(({ ownMs }) => ownMs) / 1000,
    connections: to.connections,
  };
}

/** Works for a while and reports progress every second, like an engine. */
const workFor =
  (durationMs: number, pauses: number[]): RunEngine =>
  async (request, hooks = {}) => {
    const lastMs = lastEnds.pop();
    if (lastMs !== undefined) pauses.push(performance.now() - lastMs);
    for (let step = 1; step <= STEPS && !hooks.signal?.aborted; step += 1) {
      await wait(durationMs / STEPS, undefined, { signal: hooks.signal }).catch(() => {});
      hooks.onProgress?.(request.targets.map(({ key }) => ({ key, fraction: step / (STEPS + 1) })));
    }
    await finishAll(request, hooks);
    lastEnds.push(performance.now());
  };
/** When engines finished; the next claim by any worker is measured from there. */
const lastEnds: number[] = [];

async function measureBusy(bench: Bench, size: number): Promise<void> {
  const { pool } = bench;
  await pool.query("delete from tasks");
  await addTasks(pool, Math.ceil(((SETTLE_MS + MEASURE_MS) / TASK_MS + 3) * size) + CLIENTS);
  const pauses: number[] = [];
  const fleet = await startFleet(bench, size, workFor(TASK_MS, pauses));
  await wait(SETTLE_MS);
  const figures = await measure(bench, MEASURE_MS);
  const { rows } = await pool.query<{ client_id: string; count: number }>(
    "select client_id, count(*)::int from tasks where run_token is not null or completed_at is not null group by client_id",
  );
  const counts = rows.map(({ count }) => count);
  await fleet.close();
  const sorted = pauses.toSorted((a, b) => a - b);
  const ideal = (size * 1000) / TASK_MS;
  report(
    `| ${size} | ${figures.tasks.toFixed(1)} of ${ideal.toFixed(1)} | ${percentile(sorted, 0.5).toFixed(0)} / ${percentile(sorted, 0.95).toFixed(0)} | ${Math.min(...counts)}–${Math.max(...counts)} | ${figures.commits.toFixed(0)} | ${figures.serverCores.toFixed(2)} | ${figures.ownCores.toFixed(2)} | ${figures.connections} |`,
  );
}

async function measureDispatch(bench: Bench, size: number): Promise<void> {
  await bench.pool.query("delete from tasks");
  await addTasks(bench.pool, 4000);
  const fleet = await startFleet(bench, size, finishAll);
  const { tasks, commits, serverCores, ownCores } = await measure(bench, 10_000);
  await fleet.close();
  report(
    `| ${size} | ${tasks.toFixed(0)} | ${commits.toFixed(0)} | ${serverCores.toFixed(2)} | ${ownCores.toFixed(2)} |`,
  );
}

async function measureIdle(bench: Bench, size: number): Promise<void> {
  const { db, pool } = bench;
  await pool.query("delete from tasks");
  await addTasks(pool, 0);
  let beganMs = 0;
  const fleet = await startFleet(bench, size, async (request, hooks) => {
    beganMs = performance.now();
    await finishAll(request, hooks);
  });
  await wait(SETTLE_IDLE_MS);
  const { commits, serverCores } = await measure(bench, MEASURE_MS);
  const delays: number[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    const createdMs = performance.now();
    await addTasks(pool, 1);
    await notifyNewTask(db);
    while (beganMs < createdMs) await wait(1);
    delays.push(beganMs - createdMs);
    await wait(300);
  }
  await fleet.close();
  const sorted = delays.toSorted((a, b) => a - b);
  report(
    `| ${size} | ${(commits / size).toFixed(2)} | ${serverCores.toFixed(2)} | ${percentile(sorted, 0.5).toFixed(0)} / ${percentile(sorted, 0.95).toFixed(0)} |`,
  );
}

async function startOwnServer(dir: string) {
  const postgres = await makeExternalPostgres(dir, {
    max_connections: String(50 + 3 * Math.max(...SIZES)),
    shared_buffers: "256MB",
  });
  const server = postgres.start();
  return {
    connectionString: postgres.connectionString,
    pid: server.pid(),
    async stop() {
      await server.stop();
      postgres.release();
    },
  };
}

async function describeServer(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string; setting: string }>(
    "select name, reset_val as setting from pg_settings where name in ('server_version', 'jit', 'shared_buffers', 'synchronous_commit') order by 1",
  );
  return `- a given server: ${rows.map(({ name, setting }) => `${name} ${setting}`).join(", ")}`;
}

async function main(): Promise<void> {
  const dir = await makeTempDir("fleet");
  const own = givenUrl === undefined ? await startOwnServer(dir) : undefined;
  const connectionString = own?.connectionString ?? givenUrl ?? "";
  const { db, pool } = openDatabase({ connectionString, maxConnections: 2 });
  try {
    while (!(await pool.query("select 1").catch(() => undefined))) await wait(200);
    await migrate(pool);
    const bench = { db, pool, connectionString, dir, serverPid: own?.pid };
    report("# A fleet of workers", "", ...describeRun());
    report(
      "- real workers with an engine that only waits, all in one process: `npm run bench fleet`",
      own
        ? "- one PostgreSQL beside them (synchronous_commit on, shared_buffers 256 MB)"
        : await describeServer(pool),
      "- files are neither read nor written; the server and the workers share the two cores",
      "",
      "## Busy",
      "",
      `Tasks of ${TASK_MS / 1000} s with progress every second, of ${CLIENTS} clients that all have more waiting, for ${MEASURE_MS / 1000} s.`,
      "",
      "| workers | Tasks a second | end to next start, ms p50 / p95 | Tasks of each client | commits a second | PostgreSQL's cores | workers' cores | connections |",
      "|---|---|---|---|---|---|---|---|",
    );
    for (const size of SIZES) await measureBusy(bench, size);
    report(
      "",
      "## Nothing but dispatch",
      "",
      "The engine takes no time: how many Tasks a second can be claimed, begun, ended and charged.",
      "",
      "| workers | Tasks a second | commits a second | cores of PostgreSQL | cores of all workers |",
      "|---|---|---|---|---|",
    );
    for (const size of SIZES) await measureDispatch(bench, size);
    report(
      "",
      "## Idle",
      "",
      "| workers | commits a second each | cores of PostgreSQL | from a new Task to its start, ms p50 / p95 |",
      "|---|---|---|---|",
    );
    for (const size of SIZES) await measureIdle(bench, size);
    if (own) await writeFile(join(import.meta.dirname, "results", "fleet.md"), `${lines.join("\n")}\n`);
  } finally {
    await db.destroy();
    await own?.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

await main();
