import { availableParallelism, homedir } from "node:os";
import { join, resolve } from "node:path";
import type { QueueRules } from "../domain/tasks/queue-rules.ts";
import type { UploadRules } from "../domain/uploads/upload-record.ts";
import { findDefaultDataDir } from "./find-default-data-dir.ts";
import { readSecretFiles } from "./read-secret-files.ts";
import { SETTINGS, type SettingName, type SettingValues } from "./settings.ts";

export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly mistakes: string[];

  constructor(mistakes: string[]) {
    super(
      `${mistakes.length} setting(s) are wrong:\n${mistakes.map((mistake) => `  - ${mistake}`).join("\n")}`,
    );
    this.mistakes = mistakes;
  }
}

export type Config = Readonly<{
  host: string;
  port: number;
  publicBaseUrl: string | undefined;
  dataDir: string;
  blobsDir: string;
  workDir: string;
  cacheDir: string;
  /** The networks that were added. */
  modelsDir: string;
  /** The bucket for assets and outputs; undefined for files under dataDir. */
  s3:
    | {
        bucket: string;
        prefix: string;
        endpoint: string | undefined;
        region: string;
        /** Output links point to the bucket, at this endpoint if clients use another. */
        hasPresignedLinks: boolean;
        publicEndpoint: string | undefined;
      }
    | undefined;
  aws: {
    credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined;
    stsEndpoint: string | undefined;
    /** The ARN for customers' trust policies. */
    principalArn: string | undefined;
  };
  gcpIdentityTokenFile: string | undefined;
  /** The identity provider that people may sign in with. */
  oidc:
    | {
        issuer: string;
        clientId: string;
        clientSecret: string | undefined;
        name: string;
        domains: readonly string[];
      }
    | undefined;
  encryption: { key: Buffer | undefined; keyFile: string };
  /** An external database with real sessions. */
  databaseUrl: string | undefined;
  /** The same database behind a pooler in transaction mode. */
  pooledDatabaseUrl: string | undefined;
  /** How long a start waits for the database. */
  databaseWaitMs: number;
  isMigratedAtStart: boolean;
  bootstrapApiKey: string | undefined;
  allowPrivate: readonly string[];
  uploadMaxBytes: number;
  sizeLimits: { decodedMaxBytes: number; workMaxBytes: number };
  diskFreeMinBytes: number;
  storageQuotaBytes: number;
  assetRetentionHours: number;
  outputRetentionHours: number;
  taskRetentionHours: number;
  deliveryRetentionHours: number;
  rateLimitPerSecond: number;
  trustProxy: readonly string[];
  metricsToken: string | undefined;
  connectionLimits: {
    requestTimeoutSeconds: number;
    idleTimeoutSeconds: number;
    uploadMinBytesPerSecond: number;
    connectionsMax: number;
    connectionsPerAddress: number;
    firstByteTimeoutSeconds: number;
  };
  queueRules: QueueRules;
  uploadRules: UploadRules;
  apiPoolSize: number;
  workerPoolSize: number;
  load: { requestsAtOnce: number; uploadsAtOnce: number; probesAtOnce: number };
  eventStreams: { max: number; maxPerClient: number };
  waits: { startSeconds: number; maxSeconds: number };
  /** How long a stopping process may continue. */
  drainMs: number;
  checkpointMaxBytes: number;
  /** Longer inputs are shared among workers; 0 = never. */
  splitInputSeconds: number;
  workers: number;
  engineThreads: number;
  stemCacheBytes: number;
  hasPreviews: boolean;
  executionProvider: SettingValues["EXECUTION_PROVIDER"];
  speechModel: SettingValues["SPEECH_MODEL"];
  mediaSandbox: SettingValues["MEDIA_SANDBOX"];
  workerHealthPort: number | undefined;
  /** The collector that traces are sent to. */
  telemetry: { endpoint: string; headers: Readonly<Record<string, string>> } | undefined;
  logLevel: SettingValues["LOG_LEVEL"];
  logFile: string | undefined;
}>;

type Environment = Record<string, string | undefined>;

const LOOPBACK = ["localhost", "127.0.0.0/8", "::1/128"];

function parseSettings(given: Environment): SettingValues {
  const values: Partial<Record<SettingName, unknown>> = {};
  const { environment, mistakes } = readSecretFiles(given);
  for (const [name, setting] of Object.entries(SETTINGS) as [SettingName, (typeof SETTINGS)[SettingName]][]) {
    const value = environment[name]?.trim();
    // Shells and compose files pass empty variables for unset ones.
    const text =
      value !== undefined && value !== "" ? value : "default" in setting ? setting.default : undefined;
    if (text === undefined) continue;
    const parsed = setting.schema.safeParse(text);
    if (parsed.success) values[name] = parsed.data;
    else {
      const shown = "isSecret" in setting ? "(not shown)" : JSON.stringify(text);
      mistakes.push(
        `${name} is ${shown}: ${parsed.error.issues[0]?.message ?? "invalid"}. ${setting.description}`,
      );
    }
  }
  if ((values.AWS_ACCESS_KEY_ID === undefined) !== (values.AWS_SECRET_ACCESS_KEY === undefined))
    mistakes.push("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together; one of them is missing");
  if (values.DATABASE_SESSION_URL !== undefined && values.DATABASE_URL === undefined)
    mistakes.push("DATABASE_SESSION_URL is set without DATABASE_URL; set that one, or both");
  if ((values.OIDC_ISSUER === undefined) !== (values.OIDC_CLIENT_ID === undefined))
    mistakes.push("OIDC_ISSUER and OIDC_CLIENT_ID belong together; one of them is missing");
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  return values as SettingValues;
}

function toCredentials(settings: SettingValues): Config["aws"]["credentials"] {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = settings;
  if (AWS_ACCESS_KEY_ID === undefined || AWS_SECRET_ACCESS_KEY === undefined) return undefined;
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN === undefined ? {} : { sessionToken: AWS_SESSION_TOKEN }),
  };
}

function toOidc(settings: SettingValues): Config["oidc"] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = settings;
  if (issuer === undefined || clientId === undefined) return undefined;
  return {
    issuer,
    clientId,
    clientSecret: settings.OIDC_CLIENT_SECRET,
    name: settings.OIDC_NAME,
    domains: settings.OIDC_DOMAINS.map((domain) => domain.toLowerCase()),
  };
}

function toTelemetry(settings: SettingValues): Config["telemetry"] {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = "" } = settings;
  if (endpoint === undefined) return undefined;
  const pairs = headers.split(",").filter((pair) => pair !== "");
  return {
    endpoint,
    headers: Object.fromEntries(
      pairs.map((pair) => {
        const [name = "", ...value] = pair.split("=");
        return [name.trim(), decodeURIComponent(value.join("=").trim())];
      }),
    ),
  };
}

/** Reads the environment once, into one frozen object; all mistakes are reported together. */
export function loadConfig(environment: Environment = process.env): Config {
  const settings = parseSettings(environment);
  const dataDir = resolve(
    settings.DATA_DIR ??
      findDefaultDataDir({
        isRoot: process.getuid?.() === 0,
        homeDir: homedir(),
        ...(settings.XDG_DATA_HOME === undefined ? {} : { xdgDataHome: settings.XDG_DATA_HOME }),
      }),
  );
  const threadsPerWorker = Math.max(1, Math.floor(availableParallelism() / Math.max(1, settings.WORKERS)));
  return Object.freeze({
    host: settings.HOST,
    port: settings.PORT,
    publicBaseUrl: settings.PUBLIC_BASE_URL,
    dataDir,
    blobsDir: join(dataDir, "blobs"),
    workDir: join(dataDir, "work"),
    cacheDir: join(dataDir, "cache"),
    modelsDir: resolve(settings.MODELS_DIR ?? join(dataDir, "models")),
    s3:
      settings.S3_BUCKET === undefined
        ? undefined
        : {
            bucket: settings.S3_BUCKET,
            prefix: settings.S3_PREFIX === "" ? "" : `${settings.S3_PREFIX}/`,
            endpoint: settings.AWS_ENDPOINT_URL_S3,
            region: settings.AWS_REGION,
            hasPresignedLinks: settings.S3_PRESIGNED_LINKS,
            publicEndpoint: settings.S3_PUBLIC_ENDPOINT,
          },
    aws: {
      credentials: toCredentials(settings),
      stsEndpoint: settings.AWS_ENDPOINT_URL_STS,
      principalArn: settings.AWS_PRINCIPAL_ARN,
    },
    gcpIdentityTokenFile: settings.GCP_IDENTITY_TOKEN_FILE,
    oidc: toOidc(settings),
    encryption: { key: settings.ENCRYPTION_KEY, keyFile: join(dataDir, "encryption.key") },
    databaseUrl: settings.DATABASE_SESSION_URL ?? settings.DATABASE_URL,
    pooledDatabaseUrl: settings.DATABASE_SESSION_URL && settings.DATABASE_URL,
    databaseWaitMs: 1000 * settings.DATABASE_WAIT_SECONDS,
    isMigratedAtStart: settings.AUTO_MIGRATE,
    bootstrapApiKey: settings.BOOTSTRAP_API_KEY,
    allowPrivate:
      settings.NODE_ENV === "development"
        ? [...settings.URL_ALLOW_PRIVATE, ...LOOPBACK]
        : settings.URL_ALLOW_PRIVATE,
    uploadMaxBytes: settings.UPLOAD_MAX_BYTES,
    sizeLimits: { decodedMaxBytes: settings.DECODED_MAX_BYTES, workMaxBytes: settings.WORK_MAX_BYTES },
    diskFreeMinBytes: settings.DISK_FREE_MIN_BYTES,
    storageQuotaBytes: settings.STORAGE_QUOTA_BYTES,
    assetRetentionHours: settings.ASSET_RETENTION_HOURS,
    outputRetentionHours: settings.OUTPUT_RETENTION_HOURS,
    taskRetentionHours: 24 * settings.TASK_RETENTION_DAYS,
    deliveryRetentionHours: settings.DELIVERY_RETENTION_HOURS,
    rateLimitPerSecond: settings.RATE_LIMIT_PER_SECOND,
    trustProxy: settings.TRUST_PROXY,
    metricsToken: settings.METRICS_TOKEN,
    connectionLimits: {
      requestTimeoutSeconds: settings.REQUEST_TIMEOUT_SECONDS,
      idleTimeoutSeconds: settings.IDLE_TIMEOUT_SECONDS,
      uploadMinBytesPerSecond: settings.UPLOAD_MIN_BYTES_PER_SECOND,
      connectionsMax: settings.CONNECTIONS_MAX,
      connectionsPerAddress: settings.CONNECTIONS_PER_ADDRESS,
      firstByteTimeoutSeconds: settings.FIRST_BYTE_TIMEOUT_SECONDS,
    },
    queueRules: {
      clientRunningMax: settings.CLIENT_RUNNING_MAX,
      clientWaitingMax: settings.CLIENT_WAITING_MAX,
      longTaskSeconds: settings.LONG_TASK_SECONDS,
    },
    uploadRules: {
      expiryHours: settings.UNFINISHED_UPLOAD_HOURS,
      unfinishedMaxBytes: settings.UNFINISHED_UPLOADS_MAX_BYTES,
      defaultQuotaBytes: settings.STORAGE_QUOTA_BYTES,
    },
    apiPoolSize: settings.API_POOL_SIZE,
    workerPoolSize: settings.WORKER_POOL_SIZE,
    load: {
      requestsAtOnce: settings.REQUESTS_AT_ONCE,
      uploadsAtOnce: settings.UPLOADS_AT_ONCE,
      probesAtOnce:
        settings.PROBES_AT_ONCE === 0 ? Math.max(2, availableParallelism()) : settings.PROBES_AT_ONCE,
    },
    eventStreams: { max: settings.EVENT_STREAMS_MAX, maxPerClient: settings.EVENT_STREAMS_PER_CLIENT },
    waits: {
      startSeconds:
        settings.WAIT_START_SECONDS === 0 ? settings.WAIT_MAX_SECONDS : settings.WAIT_START_SECONDS,
      maxSeconds: settings.WAIT_MAX_SECONDS,
    },
    drainMs: 1000 * settings.DRAIN_SECONDS,
    checkpointMaxBytes: settings.CHECKPOINT_MAX_BYTES,
    splitInputSeconds: settings.SPLIT_INPUT_SECONDS,
    workers: settings.WORKERS,
    engineThreads: settings.ENGINE_THREADS === 0 ? threadsPerWorker : settings.ENGINE_THREADS,
    stemCacheBytes: settings.CACHE_SIZE_BYTES,
    hasPreviews: settings.PREVIEWS === "on",
    executionProvider: settings.EXECUTION_PROVIDER,
    speechModel: settings.SPEECH_MODEL,
    mediaSandbox: settings.MEDIA_SANDBOX,
    workerHealthPort: settings.WORKER_HEALTH_PORT,
    telemetry: toTelemetry(settings),
    logLevel: settings.LOG_LEVEL,
    logFile: settings.LOG_FILE,
  });
}

/** The environment of a child process that belongs to the same installation as its parent. */
export function makeChildEnvironment(
  config: Config,
  overrides: { databaseUrl: string; publicBaseUrl: string },
): Environment {
  return {
    ...process.env,
    DATA_DIR: config.dataDir,
    DATABASE_URL: config.pooledDatabaseUrl ?? overrides.databaseUrl,
    DATABASE_URL_FILE: "",
    PUBLIC_BASE_URL: overrides.publicBaseUrl,
    // The workers would all use the same port, and their parent supervises them.
    WORKER_HEALTH_PORT: "",
    ...(config.logFile === undefined ? {} : { LOG_FILE: config.logFile }),
  };
}
