import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startEmbeddedPostgres } from "../../packages/server/db/embedded-postgres/embedded-postgres.ts";
import { listProcesses, listServiceProcesses, type Service, startService } from "../support/service.ts";
import { startSteadyReads } from "../support/steady-reads.ts";
import { makeTempDir } from "../support/temp-dir.ts";

const KILLS = 5;
const ANSWERED = ["200", "503 UNAVAILABLE"];

/** With the service's own role: the embedded server admits no other. */
async function queryDatabase<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function loadEmbeddedUrl(dataDir: string): Promise<string> {
  const password = await readFile(join(dataDir, "postgres", "cluster", "password"), "utf8");
  const query = new URLSearchParams({ host: join(dataDir, "postgres", "run"), port: "5432" });
  return `postgresql://stemwright:${password}@/stemwright?${query}`;
}

async function findPostmaster(dataDir: string): Promise<number> {
  const pidFile = await readFile(join(dataDir, "postgres", "cluster", "data", "postmaster.pid"), "utf8");
  return Number(pidFile.split("\n")[0]);
}

/** All processes of the service besides PostgreSQL. */
async function listPids(dataDir: string): Promise<number[]> {
  const processes = await Promise.all(
    (["all", "worker"] as const).map((role) => listServiceProcesses(dataDir, role)),
  );
  return processes.flat().map(({ pid }) => pid);
}

const SESSIONS = "select pid, query from pg_stat_activity where application_name like 'stemwright%'";

describe.each(["embedded", "outside"])("the %s database", (kind) => {
  let dataDir: string;
  let databaseDir: string;
  let url: string;
  let service: Service;
  let stopDatabase = async () => {};
  let pidsBefore: number[];
  let assetId: string;

  beforeAll(async () => {
    dataDir = await makeTempDir("outage");
    databaseDir = dataDir;
    if (kind === "outside") {
      databaseDir = await makeTempDir("outage-database");
      const server = await startEmbeddedPostgres({ dataDir: databaseDir });
      stopDatabase = server.stop;
    }
    url = kind === "outside" ? await loadEmbeddedUrl(databaseDir) : "";
    service = await startService({ dataDir, environment: { DATABASE_URL: url, WORKERS: "2" } });
    url = await loadEmbeddedUrl(databaseDir);
    assetId = (await service.upload(new Uint8Array([1, 2, 3]), "kept.wav")).id;
    await vi.waitFor(async () => expect(await listLivingWorkers()).toHaveLength(2), { timeout: 30_000 });
    pidsBefore = await listPids(dataDir);
    expect(pidsBefore).toHaveLength(3);
  });

  afterAll(async () => {
    await service.stop();
    await stopDatabase();
    await rm(dataDir, { recursive: true, force: true });
    if (databaseDir !== dataDir) await rm(databaseDir, { recursive: true, force: true });
  });

  const listLivingWorkers = () =>
    queryDatabase(url, "select from workers where seen_at > now() - interval '6 s'");

  /** Breaks the database repeatedly under steady reads; each time it must recover. */
  async function expectToSurvive(hurt: () => Promise<void>, times = KILLS): Promise<void> {
    const reads = startSteadyReads(service);
    for (let time = 0; time < times; time += 1) {
      await expect.poll(async () => (await service.call("/tasks")).status).toBe(200);
      const readBefore = reads.count("200");
      await expect.poll(() => reads.count("200")).toBeGreaterThan(readBefore + 50);
      await hurt();
      // At a different moment of a request each time.
      await wait(time * 7);
    }
    await expect.poll(async () => (await service.call("/health/ready")).status).toBe(200);
    const readBefore = reads.count("200");
    await expect.poll(() => reads.count("200")).toBeGreaterThan(readBefore + 50);
    const endings = await reads.stop();
    expect(ANSWERED).toEqual(expect.arrayContaining(endings));
    // The same processes, none restarted.
    expect(await listPids(dataDir)).toEqual(pidsBefore);
    expect((await service.call(`/assets/${assetId}`)).status).toBe(200);
    await expect.poll(listLivingWorkers).toHaveLength(2);
  }

  it("[S4] [E9] a killed session causes brief 503s and ends no process", async () => {
    await expectToSurvive(async () => {
      const sessions = await queryDatabase<{ pid: number }>(url, SESSIONS);
      const victim = sessions[Math.floor(Math.random() * sessions.length)];
      if (victim) process.kill(victim.pid, "SIGKILL");
    });
  });

  it("[S4] [E9] terminating all sessions at once causes brief 503s and ends no process", async () => {
    await expectToSurvive(async () => {
      await queryDatabase(url, SESSIONS.replace("pid, query", "pg_terminate_backend(pid)"));
    });
  });

  it.each(["SIGKILL", "SIGQUIT"] as const)(
    "[S4] [E9] a server that ends by %s is back soon, with all it had",
    async (signal) => {
      await expectToSurvive(async () => {
        const pid = await findPostmaster(databaseDir);
        process.kill(pid, signal);
        await expect.poll(() => findPostmaster(databaseDir).catch(() => pid)).not.toBe(pid);
      }, 2);
    },
  );

  it.runIf(kind === "outside")("[S2] [S4] Ctrl-C ends every process while the database is away", async () => {
    await stopDatabase();
    await expect.poll(async () => (await service.call("/health/ready")).status).toBe(503);
    const startMs = performance.now();
    await service.stop();
    expect(performance.now() - startMs).toBeLessThan(15_000);
    expect(await listProcesses(dataDir)).toEqual([]);
  });
});
