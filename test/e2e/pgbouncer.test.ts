import { join } from "node:path";
import type { Asset, Task } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openFileBlobs } from "../../packages/server/blobs/file-blobs.ts";
import { loadConfig } from "../../packages/server/config/load-config.ts";
import { insertClient } from "../../packages/server/db/accounts/client-rows.ts";
import { insertKey } from "../../packages/server/db/accounts/key-rows.ts";
import { withDatabase } from "../../packages/server/db/connection/with-database.ts";
import { migrate } from "../../packages/server/db/schema/migrate.ts";
import { makeKey } from "../../packages/server/domain/accounts/key-secrets.ts";
import { makeId } from "../../packages/server/domain/ids.ts";
import { makeLog } from "../../packages/server/log/make-log.ts";
import { startApi } from "../../packages/server/start/start-api.ts";
import { makeExternalPostgres } from "../faults/external-postgres.ts";
import { makeTone, toWav } from "../support/audio.ts";
import { findPgbouncer, startPgbouncer } from "../support/pgbouncer.ts";
import { makeTempDir } from "../support/temp-dir.ts";
import { finishAll, startWorkerWithoutNetwork } from "../support/test-worker.ts";

const program = findPgbouncer();
const TASKS = 12;
if (program === undefined)
  console.warn("pgbouncer is not installed and PGBOUNCER names none: its tests are skipped");

describe.skipIf(program === undefined)("behind pgbouncer", () => {
  let pooler: Awaited<ReturnType<typeof startPgbouncer>>;
  let stop = async () => {};
  const key = makeKey();
  beforeAll(async () => {
    const dir = await makeTempDir("pgbouncer-server");
    const postgres = await makeExternalPostgres(dir);
    const server = postgres.start();
    pooler = await startPgbouncer(program ?? "", postgres.connectionString);
    stop = async () => {
      await pooler.stop();
      await server.stop();
      postgres.release();
    };
    await vi.waitFor(() => withDatabase(pooler.toUrl("session"), ({ pool }) => migrate(pool)), {
      timeout: 60_000,
      interval: 500,
    });
    await withDatabase(postgres.connectionString, async ({ db }) => {
      const clientId = makeId();
      await insertClient(db, { id: clientId, name: "Test" });
      await insertKey(db, { clientId, name: "Test", role: "client", secret: key });
    });
  });
  afterAll(() => stop());

  it.each(["session", "transaction"] as const)(
    "[S10] in %s mode, Tasks are taken, followed and ended, limits are kept and nothing is in the log",
    async (mode) => {
      const dataDir = await makeTempDir("pgbouncer-api");
      const sessionUrl = pooler.toUrl("session");
      const pooledUrl = mode === "transaction" ? pooler.toUrl("transaction") : undefined;
      const config = loadConfig({
        DATA_DIR: dataDir,
        PORT: "0",
        RATE_LIMIT_PER_SECOND: "1000",
        ENCRYPTION_KEY: Buffer.alloc(32).toString("base64"),
        DATABASE_URL: pooledUrl ?? sessionUrl,
        ...(pooledUrl === undefined ? {} : { DATABASE_SESSION_URL: sessionUrl }),
      });
      const warnings: string[] = [];
      const write = (line: string) => void warnings.push(line);
      const log = makeLog({ ...config, logLevel: "warn" }, "api", { write });
      const api = await startApi({ config, databaseUrl: config.databaseUrl ?? "", log });
      const blobs = await openFileBlobs(join(dataDir, "blobs"));
      const workDir = join(dataDir, "work");
      const startWorker = () =>
        startWorkerWithoutNetwork({
          connectionString: sessionUrl,
          pooledUrl,
          blobs,
          workDir,
          run: finishAll,
        });
      const workers = await Promise.all([startWorker(), startWorker(), startWorker()]);
      const call = (path: string, init: RequestInit = {}) =>
        fetch(new URL(path, api.address), { ...init, headers: { "x-api-key": key, ...init.headers } });

      const form = new FormData();
      const tone = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 80 }));
      form.set("file", new Blob([new Uint8Array(tone)]), "a.wav");
      const asset = (await (await call("/assets", { method: "POST", body: form })).json()) as Asset;
      const body = JSON.stringify({ assetId: asset.id, targets: [{ model: "vocals", formats: ["wav"] }] });
      const headers = { "content-type": "application/json" };
      const follow = async () => {
        const task = (await (await call("/tasks", { method: "POST", body, headers })).json()) as Task;
        return await (await call(`/tasks/${task.id}/events`)).text();
      };
      const streams = await Promise.all(Array.from({ length: TASKS }, follow));
      expect(streams.map((text) => /^event: task$/m.test(text))).toEqual(Array(TASKS).fill(true));
      expect((await call("/health/ready")).status).toBe(200);
      const listed = await call("/tasks?take=100");
      const tasks = (await listed.json()) as Task[];
      expect(tasks.slice(0, TASKS).every(({ targets }) => targets[0]?.status === "completed")).toBe(true);
      await Promise.all(workers.map(({ close }) => close()));
      await api.close();
      expect(warnings).toEqual([]);
    },
  );
});
