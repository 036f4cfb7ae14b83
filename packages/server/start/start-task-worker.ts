import {
  type ConfinementReport,
  describeMachine,
  EngineProcess,
  estimateWorkBytes,
  type NetworkReport,
  probeMedia,
} from "@stemwright/engine";
import { bindQueries } from "../db/bind-queries.ts";
import { withDatabase } from "../db/connection/with-database.ts";
import { hasReservations, raiseReservations } from "../db/credits/credit-rows.ts";
import type { Database } from "../db/database.ts";
import { deleteWorker, upsertWorker } from "../db/operation/worker-rows.ts";
import { findSchemaFault } from "../db/schema/schema-fault.ts";
import { makeSpanOffers, makeSpanQueue } from "../db/spans/span-rows.ts";
import { makeTaskReports } from "../db/tasks/make-task-reports.ts";
import { listSources } from "../db/tasks/task-source-rows.ts";
import { makeRealignmentQueue } from "../db/words/realignment-rows.ts";
import { isLong } from "../domain/tasks/queue-rules.ts";
import { startSweeper, sweepMachine } from "../maintenance/sweeper.ts";
import { openMediaSandbox } from "../media/open-media-sandbox.ts";
import { isUsedUp, readDiskSpace } from "../monitoring/disk-room.ts";
import type { Tracer } from "../telemetry/tracer.ts";
import { startHealthServer } from "../worker/health/health-server.ts";
import { startAligner } from "../worker/realignments/aligner.ts";
import { makeCheckpoints } from "../worker/work-dirs/checkpoints.ts";
import { freeLeftWork, freeLeftWorkUnasked } from "../worker/work-dirs/free-left-work.ts";
import { startWorker } from "../worker/worker.ts";
import {
  openServiceContext,
  openServiceTracer,
  SERVICE_VERSION,
  type ServiceContext,
  toRetryPolicy,
} from "./service-context.ts";
import { workWhileSchemaFits } from "./work-while-schema-fits.ts";

/** Delays between retries of an input whose server fails temporarily: five attempts within a minute and a half. */
const FETCH_DELAYS_MS = [2000, 6000, 18_000, 54_000];

/** Runs Tasks as long as this release understands the schema. */
export async function startTaskWorker(context: ServiceContext) {
  const { config, log } = context;
  let db: Database | undefined;
  let findFault = (): string | undefined => "the worker waits for the database or its schema";
  const health =
    config.workerHealthPort === undefined
      ? undefined
      : await startHealthServer({
          host: config.host,
          port: config.workerHealthPort,
          findFault: () => findFault(),
        });
  if (health) log.info({ address: health.address }, "worker health checks");
  const tracer = openServiceTracer(context, "worker");
  const working = await workWhileSchemaFits({
    retryPolicy: { ...toRetryPolicy(context), onRetry: () => freeForDatabase(config.workDir) },
    findFault: () =>
      db ? findSchemaFault(db) : withDatabase(context.databaseUrl, (opened) => findSchemaFault(opened.db)),
    async start() {
      const worker = await startTaskWorkerOnce(context, tracer);
      ({ db, findFault } = worker);
      return {
        async close() {
          db = undefined;
          await worker.close();
        },
      };
    },
  });
  return {
    async close() {
      await working.close();
      await tracer?.close();
      await health?.close();
    },
  };
}

/** The database may wait for room on a disk that killed workers have filled. */
async function freeForDatabase(workDir: string): Promise<void> {
  if (isUsedUp(await readDiskSpace(workDir))) await freeLeftWorkUnasked(workDir, undefined);
}

/** The layers are those of the machine: the same for each engine process. */
function logOnce(log: ServiceContext["log"]) {
  let isLogged = false;
  return (report: ConfinementReport | undefined) => {
    if (!isLogged) log.info(report ?? { layers: [], missing: ["not on Linux"] }, "engine sandbox");
    isLogged = true;
  };
}

async function startTaskWorkerOnce(context: ServiceContext, tracer: Tracer | undefined) {
  const { config, log } = context;
  await openMediaSandbox(config, log);
  const opened = await openServiceContext(context, {
    maxConnections: config.workerPoolSize,
    ownDirs: [config.workDir],
  });
  const { db, own, blobs, unclaimed, stores, guard, storage, room, quota } = opened;
  const engineOptions = {
    threads: config.engineThreads,
    executionProvider: config.executionProvider,
    speechNetwork: config.speechModel,
    modelsDir: config.modelsDir,
    cacheDir: config.cacheDir,
    // The files of a Task, of another worker's spans and of a gap are each in a folder of it.
    workRoot: config.workDir,
    onNotice: (notice: string) => log.warn(notice),
  };
  const networks = new Map<string, NetworkReport>();
  const onNetworkLoaded = (network: NetworkReport) => {
    networks.set(network.name, network);
    log.info(network, "network loaded");
  };
  const engine = new EngineProcess({
    ...engineOptions,
    stemCacheBytes: config.stemCacheBytes,
    onNetworkLoaded,
    onConfined: logOnce(log),
  });
  const machine = describeMachine(config.engineThreads);
  const sweeper = startSweeper(log, () => sweepMachine({ db, config }));
  const inputs = {
    blobs,
    assets: stores.assets,
    sources: { listSources: (taskId: string) => listSources(db, taskId) },
    guard,
    ...storage,
    maxBytes: config.uploadMaxBytes,
    fetchDelaysMs: FETCH_DELAYS_MS,
    workDir: config.workDir,
    room,
    log,
    reports: makeTaskReports(db),
  };
  const aligner = startAligner({
    ...inputs,
    engine: new EngineProcess(engineOptions),
    queue: makeRealignmentQueue(db),
  });
  const worker = await startWorker({
    ...inputs,
    connectionString: context.databaseUrl,
    clientRunningMax: config.queueRules.clientRunningMax,
    isLong: (audioSeconds) => isLong(audioSeconds, config.queueRules),
    engine,
    listNetworks: () => [...networks.values()],
    freeLeftWork: () => freeLeftWork({ db, workDir: config.workDir }),
    hasPreviews: config.hasPreviews,
    // Without a bucket the store is on the worker's own machine, where its work folder is as well.
    checkpoints:
      config.s3 && config.checkpointMaxBytes > 0
        ? makeCheckpoints({ blobs: own, unclaimed, maxBytes: config.checkpointMaxBytes })
        : undefined,
    spans:
      config.splitInputSeconds > 0 && machine !== undefined
        ? {
            offers: makeSpanOffers(db, machine),
            queue: makeSpanQueue(db, machine),
            machine,
            fromSeconds: config.splitInputSeconds,
            ownBlobs: own,
          }
        : undefined,
    onGap: aligner.look,
    tracer,
    credits: bindQueries(db, { hasReservations, coverMinutes: raiseReservations }),
    quota,
    sizeLimits: config.sizeLimits,
    estimateWorkBytes: (targets, media) =>
      estimateWorkBytes(targets, media, { speechNetwork: config.speechModel, modelsDir: config.modelsDir }),
    // If an input can't be probed, the engine rejects it, with a better message.
    probeInput: (path) => probeMedia(path).catch(() => undefined),
    version: SERVICE_VERSION,
    register: bindQueries(db, { report: upsertWorker, remove: deleteWorker }),
  });
  log.info({ version: SERVICE_VERSION }, "worker started");
  return {
    db,
    findFault: worker.findFault,
    async close(): Promise<void> {
      const drain = { drainMs: config.drainMs, forceStop: context.forceStop };
      await Promise.all([sweeper.close(), aligner.close(), worker.close(drain)]);
      quota.close();
      await db.destroy();
    },
  };
}
