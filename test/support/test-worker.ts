import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineError, type EngineProcess, type EngineTarget } from "@stemwright/engine";
import { openFileBlobs } from "../../packages/server/blobs/file-blobs.ts";
import { makeAssetStore } from "../../packages/server/db/assets/make-asset-store.ts";
import { bindQueries } from "../../packages/server/db/bind-queries.ts";
import { openDatabase } from "../../packages/server/db/connection/open-database.ts";
import { hasReservations, raiseReservations } from "../../packages/server/db/credits/credit-rows.ts";
import { deleteWorker, upsertWorker } from "../../packages/server/db/operation/worker-rows.ts";
import { makeSpanOffers, makeSpanQueue } from "../../packages/server/db/spans/span-rows.ts";
import { makeStorageQuota } from "../../packages/server/db/storage/make-storage-quota.ts";
import { makeTaskReports } from "../../packages/server/db/tasks/make-task-reports.ts";
import { listSources } from "../../packages/server/db/tasks/task-source-rows.ts";
import type { Blobs } from "../../packages/server/domain/ports.ts";
import { makeLog } from "../../packages/server/log/make-log.ts";
import type { DiskRoom } from "../../packages/server/monitoring/disk-room.ts";
import { makeAddressGuard } from "../../packages/server/net/address-guard.ts";
import type { Tracer } from "../../packages/server/telemetry/tracer.ts";
import type { Checkpoints } from "../../packages/server/worker/work-dirs/checkpoints.ts";
import { freeLeftWork } from "../../packages/server/worker/work-dirs/free-left-work.ts";
import { type Drain, startWorker } from "../../packages/server/worker/worker.ts";
import type { TestDatabase } from "./test-database.ts";
import { makeTestStorage } from "./test-storage.ts";
import { endlessRoom } from "./without-limits.ts";

/** The machine description of test workers by default. */
export const TEST_MACHINE = "test machine";

export type RunEngine = EngineProcess["run"];

/** A worker on the real database and store, with a worker's connections; only the network is fake. */
export async function startWorkerWithoutNetwork(options: {
  connectionString: string;
  /** A pooler's URL, for all but the connection that holds the Task. */
  pooledUrl?: string | undefined;
  blobs: Blobs;
  workDir: string;
  /** The folder of the key that encrypts secrets; the work folder if no other process reads them. */
  dataDir?: string;
  run: RunEngine;
  probeDuration?: (path: string) => Promise<number | undefined>;
  clientRunningMax?: number;
  longTaskSeconds?: number;
  checkpoints?: Checkpoints;
  workMaxBytes?: number;
  /** Longer inputs are shared with workers that can make spans. */
  spans?: { fromSeconds: number; runSpan: EngineProcess["runSpan"]; machine?: string };
  tracer?: Tracer;
  room?: DiskRoom;
  /** For many workers in one process, each of which would read all its children. */
  readMemory?: () => Promise<number>;
}) {
  const { connectionString, blobs, workDir, run, longTaskSeconds = Number.POSITIVE_INFINITY } = options;
  const { workMaxBytes = 1e9 } = options;
  const { machine = TEST_MACHINE } = options.spans ?? {};
  const { db } = openDatabase({
    connectionString: options.pooledUrl ?? connectionString,
    maxConnections: 2,
    isPooled: options.pooledUrl !== undefined,
  });
  const quota = makeStorageQuota({ db, defaultQuotaBytes: 0, onError: () => {} });
  const guard = makeAddressGuard([]);
  const log = makeLog({ logLevel: "silent", logFile: undefined }, "worker");
  const worker = await startWorker({
    ...makeTestStorage({ db, guard, dataDir: options.dataDir ?? workDir }),
    guard,
    connectionString,
    clientRunningMax: options.clientRunningMax ?? 0,
    isLong: (audioSeconds) => audioSeconds > longTaskSeconds,
    blobs,
    workDir,
    checkpoints: options.checkpoints,
    tracer: options.tracer,
    ...(options.readMemory ? { readMemory: options.readMemory } : {}),
    room: options.room ?? endlessRoom,
    freeLeftWork: () => freeLeftWork({ db, workDir }),
    hasPreviews: true,
    engine: { run, close: async () => {}, runSpan: options.spans?.runSpan ?? refuseSpan },
    spans: options.spans && {
      ...{ offers: makeSpanOffers(db, machine), queue: makeSpanQueue(db, machine), ownBlobs: blobs, machine },
      fromSeconds: options.spans.fromSeconds,
    },
    assets: makeAssetStore(db),
    sources: { listSources: (taskId) => listSources(db, taskId) },
    fetchDelaysMs: [10, 20],
    maxBytes: 1000,
    credits: bindQueries(db, { hasReservations, coverMinutes: raiseReservations }),
    probeInput: async (path) => ({
      durationSeconds: await options.probeDuration?.(path),
      sampleRateHz: 44_100,
      channels: 2,
    }),
    quota,
    sizeLimits: { decodedMaxBytes: workMaxBytes, workMaxBytes },
    // The size of the decoded input, and as much again per target.
    estimateWorkBytes: (targets, { durationSeconds, sampleRateHz, channels }) =>
      Math.ceil(durationSeconds * sampleRateHz) * channels * 4 * (1 + targets.length),
    version: "1.2.3",
    register: bindQueries(db, { report: upsertWorker, remove: deleteWorker }),
    log,
    reports: makeTaskReports(db),
  });
  let closing: Promise<void> | undefined;
  return {
    log,
    findFault: worker.findFault,
    close(drain?: Drain): Promise<void> {
      closing ??= worker.close(drain).then(() => {
        quota.close();
        return db.destroy();
      });
      return closing;
    },
  };
}

const refuseSpan = () => Promise.reject(new Error("this worker makes no spans"));

/** A worker next to an API, on its database and files. */
export const startWorkerOfApi = async (api: { database: TestDatabase; dataDir: string }, run: RunEngine) =>
  await startWorkerWithoutNetwork({
    connectionString: api.database.url,
    blobs: await openFileBlobs(join(api.dataDir, "blobs")),
    workDir: join(api.dataDir, "work"),
    run,
  });

/** Writes each file as if a network had made it, with two voices. */
export const finishAll: RunEngine = async (request, hooks = {}) => {
  for (const target of request.targets) {
    for (const path of listTestPaths(target)) await writeFile(path, "stem");
    const voices = target.kind === "voices" ? { voiceCount: 2 } : {};
    await hooks.onTargetDone?.(target.key, { durationSeconds: 61, ...voices });
  }
};

/** The files of a target, with two voices if it has any. */
export function listTestPaths(target: EngineTarget): string[] {
  if (target.kind !== "voices") return target.files.map(({ path }) => path);
  const { pathPrefix, formats, hasResidual } = target;
  const sounds = ["01", "02", ...(hasResidual ? ["residual"] : [])];
  return [
    ...sounds.flatMap((suffix) => formats.map((format) => `${pathPrefix}_${suffix}.${format}`)),
    `${pathPrefix}.json`,
  ];
}

/** Works until aborted. */
export const workUntilAborted: RunEngine = (_request, hooks = {}) =>
  new Promise((_resolve, reject) =>
    hooks.signal?.addEventListener("abort", () => reject(new EngineError("cancelled", "stopped"))),
  );
