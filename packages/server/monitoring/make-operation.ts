import { statfs } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import type { ServiceHealth, Worker } from "@stemwright/contract";
import type { DatabaseProbe } from "../db/connection/database-probe.ts";
import type { Database } from "../db/database.ts";
import { countTargets } from "../db/operation/count-targets.ts";
import { listWorkers } from "../db/operation/worker-rows.ts";
import type { MediaSandbox } from "../media/open-media-sandbox.ts";
import { readQueues } from "../queue/read-queues.ts";

const toWorker = (row: Awaited<ReturnType<typeof listWorkers>>[number]): Worker => ({
  id: row.id,
  host: row.host,
  pid: row.pid,
  version: row.version,
  isAlive: row.is_alive,
  startedAt: row.started_at.toISOString(),
  seenAt: row.seen_at.toISOString(),
  taskId: row.task_id,
  taskSince: row.task_since?.toISOString() ?? null,
  memoryBytes: row.memory_bytes,
  engineSeconds: row.engine_seconds,
  audioSeconds: row.audio_seconds,
  networks: row.networks,
  fault: row.fault,
  diskFreeBytes: row.disk_free_bytes,
});

/** The state of the running service, for administrators and monitoring. */
export function makeOperation(options: {
  db: Database;
  probe: Pick<DatabaseProbe, "isReady">;
  dataDir: string;
  diskFreeMinBytes: number;
  sandbox: MediaSandbox;
}) {
  const { db, probe, dataDir, diskFreeMinBytes, sandbox } = options;
  const list = async () => (await listWorkers(db)).map(toWorker);
  return {
    listWorkers: list,
    readQueues: () => readQueues(db),
    countTargets: () => countTargets(db),
    async checkHealth(): Promise<ServiceHealth> {
      const startMs = performance.now();
      const isDatabaseOk = await probe.isReady();
      const latencyMs = performance.now() - startMs;
      const { bavail, blocks, bsize } = await statfs(dataDir);
      const freeBytes = bavail * bsize;
      // Figures that need the database are empty while it does not answer.
      const [queues, workers] = isDatabaseOk ? await Promise.all([readQueues(db), list()]) : [[], []];
      const alive = workers.filter(({ isAlive }) => isAlive);
      const faults = [...new Set(alive.flatMap(({ fault }) => fault ?? []))];
      const oldest = queues.flatMap(({ oldestWaitingAt }) => oldestWaitingAt ?? []).sort()[0];
      const parts = {
        database: { isOk: isDatabaseOk, latencyMs },
        disk: { isOk: freeBytes >= diskFreeMinBytes, freeBytes, totalBytes: blocks * bsize },
        workers: { isOk: alive.length > 0 && faults.length === 0, alive: alive.length, faults },
        mediaSandbox: { isOk: sandbox.mode === "required", ...sandbox },
      };
      return {
        status: Object.values(parts).every(({ isOk }) => isOk) ? "ok" : "degraded",
        ...parts,
        queue: {
          waiting: queues.reduce((sum, { waiting }) => sum + waiting, 0),
          active: queues.reduce((sum, { active }) => sum + active, 0),
          oldestWaitingSeconds: oldest === undefined ? null : (Date.now() - Date.parse(oldest)) / 1000,
        },
      };
    },
  };
}
