import { join } from "node:path";
import type { FastifyBaseLogger } from "fastify";
import { PARTIAL_DIR } from "../blobs/file-blobs.ts";
import { openOwnBlobs } from "../blobs/open-own-blobs.ts";
import { openPartialFiles } from "../blobs/open-partial-files.ts";
import { withCustomerObjects } from "../blobs/with-customer-objects.ts";
import { withOutages } from "../blobs/with-outages.ts";
import { withUnclaimedFiles } from "../blobs/with-unclaimed-files.ts";
import { makeBuckets } from "../buckets/open-buckets.ts";
import type { Config } from "../config/load-config.ts";
import { openDatabase } from "../db/connection/open-database.ts";
import { loadSecret } from "../db/secrets/load-secret.ts";
import { openVault } from "../db/secrets/open-vault.ts";
import { hasVaultKey } from "../db/secrets/vault-canary.ts";
import { makeStorageQuota } from "../db/storage/make-storage-quota.ts";
import { makeUnclaimedFiles } from "../db/storage/unclaimed-file-rows.ts";
import type { Buckets, StoragePorts } from "../domain/storage/storage-ports.ts";
import type { Vault } from "../domain/vault.ts";
import { StartError } from "../faults/start-error.ts";
import type { Dashboard } from "../http/dashboard/load-dashboard.ts";
import { makeKeptStems } from "../media/kept-stems.ts";
import { makeDiskRoom } from "../monitoring/disk-room.ts";
import { type AddressGuard, makeAddressGuard } from "../net/address-guard.ts";
import packageFile from "../package.json" with { type: "json" };
import { openTracer, type Tracer } from "../telemetry/tracer.ts";
import { callUntilAnswered, type RetryPolicy } from "../waiting/call-until-answered.ts";
import { makeStores } from "./make-stores.ts";

/** Statements of requests and Tasks take milliseconds; only an overloaded database takes this long. */
const STATEMENT_TIMEOUT_MS = 20_000;
const WRONG_KEY =
  "ENCRYPTION_KEY is not the key that the secrets in this database are encrypted with. Give every machine the same one; where none was ever set, it is in the file encryption.key below the DATA_DIR of the machine that made it";
export const { version: SERVICE_VERSION } = packageFile;

/** What every part of the service is built from. */
export type ServiceContext = {
  config: Config;
  /** Bypasses the pooler, so that a connection keeps its session. */
  databaseUrl: string;
  log: FastifyBaseLogger;
  /** Why the database is unavailable, if its supervisor knows. */
  findOutage?: () => Error | undefined;
  /** The pages that the API serves, or why there are none. */
  dashboard?: Promise<Dashboard | string>;
  /** Aborts a start that is still waiting. */
  signal?: AbortSignal;
  /** Cuts the drain short. */
  forceStop?: AbortSignal;
};

/** How a start deals with an unavailable database. */
export const toRetryPolicy = ({
  config,
  log,
  signal = new AbortController().signal,
}: ServiceContext): RetryPolicy => ({
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

/** Undefined if no collector is configured. */
export const openServiceTracer = ({ config, log }: ServiceContext, part: string): Tracer | undefined =>
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

/** For queries without session state: through the pooler, if there is one. */
export const toPool = ({ config, databaseUrl }: ServiceContext) => ({
  connectionString: config.pooledDatabaseUrl ?? databaseUrl,
  isPooled: config.pooledDatabaseUrl !== undefined,
});

/** What the API and the worker share. */
export async function openServiceContext(
  context: ServiceContext,
  /** `ownDirs` are what it writes to beside the store. */
  { maxConnections, ownDirs = [] }: { maxConnections: number; ownDirs?: string[] },
) {
  const { config, log } = context;
  const { db, pool } = openDatabase({
    ...toPool(context),
    maxConnections,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const guard = makeAddressGuard(config.allowPrivate, {
    onRefused: (refusal) => log.warn(refusal, "outgoing connection refused: host is not public"),
  });
  const vault = openVault(config.encryption);
  const stores = makeStores(db, { rules: config.queueRules, uploadRules: config.uploadRules, vault });
  const storage: StoragePorts = {
    integrations: stores.integrations,
    vault,
    buckets: makeOpenBuckets(config, guard, vault),
  };
  const keptStems = makeKeptStems({ cacheDir: config.cacheDir, log });
  const dirs = [...ownDirs, ...(config.s3 ? [] : [config.blobsDir])];
  const room = makeDiskRoom({ dirs, minBytes: config.diskFreeMinBytes, keptStems, log });
  const unclaimed = makeUnclaimedFiles(db);
  const own = withOutages(await openOwnBlobs(config, room));
  const partials = await openPartialFiles(config, { own, room });
  const blobs = withCustomerObjects(withUnclaimedFiles(own, unclaimed), storage, {
    tempDir: join(config.blobsDir, PARTIAL_DIR),
    maxBytes: config.uploadMaxBytes,
  });
  const retryPolicy = toRetryPolicy(context);
  if (!(await callUntilAnswered(() => hasVaultKey(db, vault), retryPolicy))) throw new StartError(WRONG_KEY);
  const secret = await callUntilAnswered(() => loadSecret(db, "links"), retryPolicy);
  const quota = makeStorageQuota({
    db,
    defaultQuotaBytes: config.storageQuotaBytes,
    onError: (error) => log.warn({ err: error }, "failed to refresh storage holds"),
  });
  return { db, pool, own, blobs, partials, unclaimed, secret, stores, guard, storage, room, quota };
}

export type OpenedContext = Awaited<ReturnType<typeof openServiceContext>>;
