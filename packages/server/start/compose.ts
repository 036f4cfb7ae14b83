import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  AUDIO_FORMATS,
  type AudioFormat,
  EngineProcess,
  estimateWorkBytes,
  findOutputFault,
  forgetStems,
  listEngineModels,
  MediaError,
  type NetworkReport,
  probeMedia,
} from "@stemwright/engine";
import type { FastifyBaseLogger } from "fastify";
import { PARTIAL_DIR } from "../blobs/file-blobs.ts";
import { openOwnBlobs } from "../blobs/open-own-blobs.ts";
import { openPresigner } from "../blobs/open-presigner.ts";
import { withCustomerObjects } from "../blobs/with-customer-objects.ts";
import { withOutages } from "../blobs/with-outages.ts";
import { withUnclaimedFiles } from "../blobs/with-unclaimed-files.ts";
import { makeBuckets } from "../buckets/open-buckets.ts";
import type { Config } from "../config/load-config.ts";
import { findFirstClientId } from "../db/accounts/client-rows.ts";
import { listGrants } from "../db/accounts/grant-rows.ts";
import { findCaller, listActiveKeyIds, touchKey } from "../db/accounts/key-rows.ts";
import { findSessionCaller, listActiveSessionIds, touchSession } from "../db/accounts/session-rows.ts";
import { openDatabaseProbe } from "../db/connection/database-probe.ts";
import { withDatabase } from "../db/connection/with-database.ts";
import { makeCreditCover } from "../db/credits/make-credit-cover.ts";
import { listDistribution, listUsage } from "../db/credits/usage-rows.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { makeWorkerRegister } from "../db/operation/make-worker-register.ts";
import { findPreviews } from "../db/previews/preview-rows.ts";
import { makeRateCounts } from "../db/requests/make-rate-counts.ts";
import { makeReceiptStore } from "../db/requests/make-receipt-store.ts";
import { findSchemaFault } from "../db/schema/schema-fault.ts";
import { loadSecret } from "../db/secrets/load-secret.ts";
import { openVault } from "../db/secrets/open-vault.ts";
import { hasVaultKey } from "../db/secrets/vault-canary.ts";
import { makeSpanOffers, makeSpanQueue } from "../db/spans/span-rows.ts";
import { makeStorageQuota } from "../db/storage/make-storage-quota.ts";
import { makeUnclaimedFiles } from "../db/storage/unclaimed-file-rows.ts";
import { makeTaskReports } from "../db/tasks/make-task-reports.ts";
import { openTaskChanges } from "../db/tasks/task-changes.ts";
import { findTask, listProgressMarks } from "../db/tasks/task-rows.ts";
import { listSources } from "../db/tasks/task-source-rows.ts";
import { sealOldSecrets } from "../db/webhooks/webhook-secrets.ts";
import { makeRealignmentQueue } from "../db/words/realignment-rows.ts";
import { renderDelivery } from "../deliveries/render-delivery.ts";
import { type DeliveryOptions, type DeliveryPorts, startDeliveries } from "../deliveries/start-deliveries.ts";
import { makePasswords } from "../domain/accounts/passwords.ts";
import { limitLooks } from "../domain/assets/limit-looks.ts";
import { shareLooks } from "../domain/assets/share-looks.ts";
import { type Links, makeLinks } from "../domain/links.ts";
import type { Blobs, MediaLooker, UrlRules } from "../domain/ports.ts";
import { Refusal } from "../domain/refusal.ts";
import { makeOutputLinks } from "../domain/storage/output-links.ts";
import type { Buckets, StoragePorts } from "../domain/storage/storage-ports.ts";
import { isLong } from "../domain/tasks/queue-rules.ts";
import { makeTaskFeed } from "../domain/tasks/task-feed.ts";
import type { Vault } from "../domain/vault.ts";
import { addDoorRoutes } from "../doors/door-routes.ts";
import type { ApiPorts } from "../http/api.ts";
import type { Dashboard } from "../http/dashboard/load-dashboard.ts";
import { makeApp } from "../http/make-app.ts";
import { makeLegacyPorts } from "../legacy/legacy-ports.ts";
import { addLegacyRoutes } from "../legacy/legacy-routes.ts";
import { startSweeper, sweep, sweepMachine } from "../maintenance/sweeper.ts";
import { makeKeptStems } from "../media/kept-stems.ts";
import { makeStemFileMaker } from "../media/make-stem-file-maker.ts";
import { openMediaSandbox } from "../media/open-media-sandbox.ts";
import { makeTranscriptReader } from "../media/transcript-reader.ts";
import { wordsWriter } from "../media/words-writer.ts";
import { makeOperation } from "../monitoring/make-operation.ts";
import { makeReadiness } from "../monitoring/readiness.ts";
import { watchSchema } from "../monitoring/schema-watch.ts";
import { type AddressGuard, AddressRefused, makeAddressGuard } from "../net/address-guard.ts";
import { openIdentityProvider } from "../oidc/open-identity-provider.ts";
import packageFile from "../package.json" with { type: "json" };
import { openTracer, type Tracer } from "../telemetry/tracer.ts";
import { callUntilAnswered, type Patience } from "../waiting/call-until-answered.ts";
import { startAligner } from "../worker/aligner.ts";
import { makeCheckpoints } from "../worker/checkpoints.ts";
import { startHealthServer } from "../worker/health-server.ts";
import { startWorker } from "../worker/worker.ts";
import { makeStores } from "./make-stores.ts";
import { StartError } from "./start-error.ts";
import { workWhileSchemaFits } from "./work-while-schema-fits.ts";

/** What a request, or a step of a Task, may ask of the database takes milliseconds; so long only where the database is overloaded. */
const STATEMENT_TIMEOUT_MS = 20_000;
/** The sweeper has connections of its own: it takes none from requests, and may take its time. */
const SWEEP_POOL_SIZE = 2;
const SWEEP_STATEMENT_TIMEOUT_MS = 600_000;
/** The last use of a key is noted once in so long; the database decides when several requests come at once. */
const KEY_USE_NOTED_MS = 60_000;
/** Before each further try at an input whose server fails for a moment: five tries in a minute and a half. */
const FETCH_DELAYS_MS = [2000, 6000, 18_000, 54_000];
/** How soon an API notices that another release has changed the schema too far for it. */
const SCHEMA_LOOK_MS = 5000;
const WRONG_KEY =
  "ENCRYPTION_KEY is not the key that the secrets in this database are encrypted with. Give every machine the same one; where none was ever set, it is in the file encryption.key below the DATA_DIR of the machine that made it";
const { version: SERVICE_VERSION } = packageFile;

/** What every part of the service is built from. */
export type House = {
  config: Config;
  /** With sessions of one's own. */
  databaseUrl: string;
  log: FastifyBaseLogger;
  /** Why the database is away, where its supervisor knows. */
  findOutage?: () => Error | undefined;
  /** The pages that the API serves, or why there are none. */
  dashboard?: Promise<Dashboard | string>;
  /** Ends a start that waits. */
  signal?: AbortSignal;
  /** Ends the time that a process that is told to stop has. */
  hurry?: AbortSignal;
};

/** How a start deals with a database that is away. */
export const patienceOf = ({ config, log, signal = new AbortController().signal }: House): Patience => ({
  signal,
  log,
  limitMs: config.databaseWaitMs,
});

function makeOpenBuckets(config: Config, guard: AddressGuard, vault: Vault): Buckets {
  const { credentials: ownCredentials, stsEndpoint } = config.aws;
  return makeBuckets({
    vault,
    guard,
    aws: { ownCredentials, stsEndpoint },
    gcp: { identityTokenFile: config.gcpIdentityTokenFile },
  });
}

/** Undefined where no collector is set. */
const openHouseTracer = ({ config, log }: House, part: string): Tracer | undefined =>
  config.telemetry &&
  openTracer({
    ...config.telemetry,
    resource: {
      "service.name": `stemwright-${part}`,
      "service.version": SERVICE_VERSION,
      "process.pid": process.pid,
    },
    onDropped: (error, spans) => log.warn({ err: error, spans }, "traces dropped"),
  });

/** For what needs no session of its own: through the pooler, where there is one. */
const toPool = ({ config, databaseUrl }: House) => ({
  connectionString: config.pooledDatabaseUrl ?? databaseUrl,
  isPooled: config.pooledDatabaseUrl !== undefined,
});

/** What the API and the worker have in common. */
async function openHouse(house: House, maxConnections: number) {
  const { config, log } = house;
  const { db, pool } = openDatabase({
    ...toPool(house),
    maxConnections,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const guard = makeAddressGuard(config.allowPrivate, {
    onRefused: (refusal) => log.warn(refusal, "outgoing connection refused: host is not public"),
  });
  const vault = openVault(config.encryption);
  const stores = makeStores(db, { rules: config.queueRules, vault });
  const storage: StoragePorts = {
    integrations: stores.integrations,
    vault,
    buckets: makeOpenBuckets(config, guard, vault),
  };
  const keptStems = makeKeptStems({ cacheDir: config.cacheDir, log });
  const unclaimed = makeUnclaimedFiles(db);
  const own = withOutages(await openOwnBlobs(config, () => keptStems.giveUp()));
  const blobs = withCustomerObjects(withUnclaimedFiles(own, unclaimed), storage);
  const patience = patienceOf(house);
  if (!(await callUntilAnswered(() => hasVaultKey(db, vault), patience))) throw new StartError(WRONG_KEY);
  const secret = await callUntilAnswered(() => loadSecret(db, "links"), patience);
  const quota = makeStorageQuota({
    db,
    defaultQuotaBytes: config.storageQuotaBytes,
    onError: (error) => log.warn({ err: error }, "failed to refresh storage holds"),
  });
  return { db, pool, own, blobs, unclaimed, secret, stores, guard, storage, keptStems, quota };
}

const isAudioFormat = (format: string): format is AudioFormat =>
  AUDIO_FORMATS.some((known) => known === format);

function makeMediaLooker(blobs: Blobs): MediaLooker {
  return {
    findOutputFault: (format, facts) => (isAudioFormat(format) ? findOutputFault(format, facts) : undefined),
    async look(blobKey) {
      try {
        const { durationSeconds, sampleRateHz, channels, hasVideo, pictureCodec } = await blobs.withLocalFile(
          blobKey,
          (path) => probeMedia(path),
        );
        return {
          isReadable: true,
          sampleRateHz,
          channels,
          hasVideo,
          ...(pictureCodec === undefined ? {} : { pictureCodec }),
          ...(durationSeconds === undefined ? {} : { durationSeconds }),
        };
      } catch (error) {
        if (!(error instanceof MediaError)) throw error;
        if (error.kind === "unreadable" || error.kind === "no-audio")
          return { isReadable: false, reason: error.kind, message: error.message };
        if (error.kind === "machine-failed")
          throw new Refusal(
            "UNAVAILABLE",
            "The asset could not be looked into just now; try again in a moment",
          );
        // A crash may be the file's fault or the machine's: refused now, and looked at again the next time.
        throw new Refusal("MEDIA_UNREADABLE", error.message);
      }
    },
  };
}

function makeUrlRules(links: Links, guard: AddressGuard): UrlRules {
  return {
    findStored: (url) => links.findBlobKey(url),
    check(url) {
      // One of our own links is read from the store, wherever the service listens.
      if (links.findBlobKey(url) !== undefined) return;
      try {
        guard.checkUrl(new URL(url));
      } catch (error) {
        throw error instanceof AddressRefused ? new Refusal("URL_NOT_ALLOWED", error.message) : error;
      }
    },
  };
}

/** The HTTP side, and the calls we make to others. Listens before it returns; `address` is where. */
export async function startApi(house: House & { deliveries?: Partial<DeliveryOptions> }) {
  const { config, log } = house;
  const sandbox = await openMediaSandbox(config, log);
  const opened = await openHouse(house, config.apiPoolSize);
  const { db, blobs, unclaimed, secret, stores, guard, storage, quota } = opened;
  const probe = openDatabaseProbe(toPool(house).connectionString);
  await callUntilAnswered(() => sealOldSecrets(db, storage.vault), patienceOf(house));
  const schema = watchSchema({ findFault: () => findSchemaFault(db), intervalMs: SCHEMA_LOOK_MS, log });
  const isFit = () => schema.findFault() === undefined;
  let address = "";
  const publicBaseUrl = () => config.publicBaseUrl ?? address;
  const links = makeLinks({ secret, baseUrl: publicBaseUrl });
  const changes = openTaskChanges({
    connectionString: house.databaseUrl,
    onError: (error) => log.warn({ err: error }, "LISTEN connection lost, reconnecting"),
  });
  const feed = makeTaskFeed({
    changes,
    findTask: (id) => findTask(db, id),
    listMarks: (ids) => listProgressMarks(db, ids),
    onError: (error) => log.warn({ err: error }, "a followed Task could not be read"),
  });
  const forSweeps = openDatabase({
    ...toPool(house),
    maxConnections: SWEEP_POOL_SIZE,
    statementTimeoutMs: SWEEP_STATEMENT_TIMEOUT_MS,
  });
  const sweeper = startSweeper(log, async (signal) =>
    isFit() ? await sweep({ db: forSweeps.db, blobs, config }, signal) : {},
  );
  const readiness = makeReadiness({ probe, schema, store: blobs, findOutage: house.findOutage });
  const ports: ApiPorts = {
    ...storage,
    ...stores,
    grants: { listGrants: (clientId) => listGrants(db, clientId) },
    media: shareLooks(limitLooks(makeMediaLooker(blobs), config.load.probesAtOnce)),
    transcriptReader: makeTranscriptReader(blobs),
    urls: makeUrlRules(links, guard),
    installed: listEngineModels({ speechModel: config.speechModel }),
    blobs,
    unclaimed,
    quota,
    sizeLimits: config.sizeLimits,
    receipts: makeReceiptStore({
      db,
      vault: storage.vault,
      makeStores: (handle) => makeStores(handle, { rules: config.queueRules, vault: storage.vault }),
    }),
    statistics: {
      listUsage: (clientId, since) => listUsage(db, clientId, since),
      listDistribution: (clientId, since) => listDistribution(db, clientId, since),
    },
    feed,
    previews: { findPreviews: (taskId) => findPreviews(db, taskId) },
    keys: {
      async findCaller(key) {
        const caller = await findCaller(db, key);
        if (caller && Date.now() - (caller.lastUsedAt?.getTime() ?? 0) > KEY_USE_NOTED_MS)
          void touchKey(db, caller.keyId).catch((error) =>
            log.warn({ err: error }, "last use of a key not noted"),
          );
        return caller;
      },
      listActiveKeyIds: async (keyIds) => [
        ...(await listActiveKeyIds(db, keyIds)),
        ...(await listActiveSessionIds(db, keyIds)),
      ],
    },
    sessions: {
      async findCaller(token) {
        const caller = await findSessionCaller(db, token);
        if (caller && Date.now() - caller.lastUsedAt.getTime() > KEY_USE_NOTED_MS)
          void touchSession(db, caller.keyId).catch((error) =>
            log.warn({ err: error }, "last use of a session not noted"),
          );
        return caller;
      },
    },
    passwords: makePasswords(),
    identityProvider: config.oidc && openIdentityProvider(config.oidc),
    admission: { domains: config.oidc?.domains ?? [], findFirstClientId: () => findFirstClientId(db) },
    stemCache: {
      async forget(taskId) {
        await forgetStems(config.cacheDir, taskId);
      },
    },
    textWriter: wordsWriter,
    exports: {
      findTask: (id) => findTask(db, id),
      stemFiles: makeStemFileMaker(blobs, join(config.blobsDir, PARTIAL_DIR)),
    },
    operation: makeOperation({ db, probe, dataDir: config.dataDir, sandbox }),
    readiness,
    rateCounts: makeRateCounts(db),
  };
  const outputLinks = makeOutputLinks({
    ports: storage,
    own: links,
    presignOwn: await openPresigner(config),
    onFailure: (error) => log.warn({ err: error }, "a link could not be presigned"),
  });
  const legacy = makeLegacyPorts({ db, blobs, links, guard });
  const dashboard = (await house.dashboard) ?? "This process was started without one.";
  if (house.dashboard && typeof dashboard === "string")
    log.warn({ reason: dashboard }, "dashboard not available");
  const tracer = openHouseTracer(house, "api");
  const app = await makeApp({
    ...{ ports, links, outputLinks, config, publicBaseUrl, dashboard, tracer },
    logger: log,
    addOtherRoutes: async (api) => {
      await addLegacyRoutes({ ...api, legacy });
      await addDoorRoutes(api);
    },
  });
  address = (await app.listen({ host: config.host, port: config.port })).replace("[::1]", "localhost");
  const render: DeliveryPorts["render"] = (delivery) => renderDelivery(db, { links, outputLinks }, delivery);
  const deliveries = startDeliveries(
    { db, vault: storage.vault, guard, log, render, mayTake: isFit },
    house.deliveries,
  );
  return {
    address: publicBaseUrl(),
    async close(): Promise<void> {
      readiness.drain();
      if (config.drainMs > 0) await wait(config.drainMs, undefined, { signal: house.hurry }).catch(() => {});
      schema.close();
      await app.close();
      await tracer?.close();
      await deliveries.close();
      feed.close();
      await sweeper.close();
      await changes.close();
      await guard.close();
      await probe.close();
      await forSweeps.db.destroy();
      quota.close();
      await db.destroy();
    },
  };
}

/** The working side: takes Tasks and runs the engine for them, while it understands the schema. */
export async function startTaskWorker(house: House) {
  const { config, log } = house;
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
  const tracer = openHouseTracer(house, "worker");
  const working = await workWhileSchemaFits({
    patience: patienceOf(house),
    findFault: () =>
      db ? findSchemaFault(db) : withDatabase(house.databaseUrl, (opened) => findSchemaFault(opened.db)),
    async start() {
      const worker = await startTaskWorkerOnce(house, tracer);
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

async function startTaskWorkerOnce(house: House, tracer: Tracer | undefined) {
  const { config, log } = house;
  await openMediaSandbox(config, log);
  const opened = await openHouse(house, config.workerPoolSize);
  const { db, own, blobs, unclaimed, stores, guard, storage, keptStems, quota } = opened;
  const engineOptions = {
    threads: config.engineThreads,
    executionProvider: config.executionProvider,
    speechModel: config.speechModel,
    cacheDir: config.cacheDir,
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
  });
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
    connectionString: house.databaseUrl,
    clientRunningMax: config.queueRules.clientRunningMax,
    isLong: (audioSeconds) => isLong(audioSeconds, config.queueRules),
    engine,
    listNetworks: () => [...networks.values()],
    keptStems,
    hasPreviews: config.hasPreviews,
    // Without a bucket the files lie on the worker's own machine, as its work does.
    checkpoints:
      config.s3 && config.checkpointMaxBytes > 0
        ? makeCheckpoints({ blobs: own, unclaimed, maxBytes: config.checkpointMaxBytes })
        : undefined,
    spans:
      config.splitInputSeconds > 0
        ? {
            offers: makeSpanOffers(db),
            queue: makeSpanQueue(db),
            fromSeconds: config.splitInputSeconds,
            ownBlobs: own,
          }
        : undefined,
    onStretch: aligner.look,
    tracer,
    credits: makeCreditCover(db),
    quota,
    sizeLimits: config.sizeLimits,
    estimateWorkBytes: (targets, media) =>
      estimateWorkBytes(targets, media, { speechModel: config.speechModel }),
    // What can't be looked into is the engine's to refuse, in its own words.
    probeInput: (path) => probeMedia(path).catch(() => undefined),
    version: SERVICE_VERSION,
    register: makeWorkerRegister(db),
  });
  log.info({ version: SERVICE_VERSION }, "worker started");
  return {
    db,
    findFault: worker.findFault,
    async close(): Promise<void> {
      await sweeper.close();
      await aligner.close();
      await worker.close({ drainMs: config.drainMs, hurry: house.hurry });
      quota.close();
      await db.destroy();
    },
  };
}
