import { isIP } from "node:net";
import { PROVIDER_SETTINGS, SANDBOX_MODES, SPEECH_NETWORKS } from "@stemwright/engine";
import { z } from "zod";
import { parseHosts } from "../db/connection/parse-hosts.ts";

const port = z.coerce.number().int().min(0).max(65535);
const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER) => z.coerce.number().int().min(min).max(max);
const databaseUrl = z
  .string()
  .refine(
    (url) => parseHosts(url) !== undefined,
    "must be postgresql://user:password@host:port/name; several hosts are separated by commas, as host:port,host:port",
  );
const webAddress = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ""));
const commaSeparated = z.string().transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);

/** An address, or a network as `10.0.0.0/8`. */
function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  const isPrefix =
    prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32));
  return family !== 0 && isPrefix && rest.length === 0;
}

const KEY_BYTES = 32;
const encryptionKey = z
  .string()
  .transform((text) => Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? "hex" : "base64"))
  .refine((key) => key.length === KEY_BYTES, `must be ${KEY_BYTES} bytes in base64 or hex`);

type Setting = { schema: z.ZodType; default?: string; description: string; isSecret?: boolean };

/**
 * Every environment variable the service reads. A setting without a default is optional.
 * The table of docs/settings.md lists the same; a test holds the two equal.
 */
export const SETTINGS = {
  PORT: { schema: port, default: "8080", description: "Port the API listens on; 0 picks a free one." },
  HOST: {
    schema: z.string().min(1),
    default: "127.0.0.1",
    description: "Address the API listens on. `0.0.0.0` opens it to the network; set PUBLIC_BASE_URL too.",
  },
  PUBLIC_BASE_URL: {
    schema: webAddress,
    description: "Base of all links, as clients see the service. Default: `http://<HOST>:<PORT>`.",
  },
  DATA_DIR: {
    schema: z.string().min(1),
    description:
      "Folder of everything embedded: database, files, work, caches. Default: `/var/lib/stemwright` as root, else see below.",
  },
  MODELS_DIR: {
    schema: z.string().min(1),
    description: "Folder of the networks that were added (docs/models.md). Default: `models` in DATA_DIR.",
  },
  DATABASE_URL: {
    schema: databaseUrl,
    description:
      "An external PostgreSQL server (15 or later), or several hosts of which one accepts writes. Default: an embedded one in DATA_DIR.",
    isSecret: true,
  },
  DATABASE_SESSION_URL: {
    schema: databaseUrl,
    description:
      "A session-keeping URL of the same database for LISTEN, locks and migrations, if DATABASE_URL goes through a transaction pooler.",
    isSecret: true,
  },
  DATABASE_WAIT_SECONDS: {
    schema: wholeNumber(0, 86_400),
    default: "15",
    description: "How long a start waits for an unreachable database before it fails.",
  },
  AUTO_MIGRATE: {
    schema: z.enum(["true", "false"]).transform((text) => text === "true"),
    default: "true",
    description:
      "Whether the API migrates the schema at start. With `false` requests are 503 until `npm run migrate` has run.",
  },
  BOOTSTRAP_API_KEY: {
    schema: z.string().regex(/^[\x21-\x7e]{8,200}$/, "must be 8 to 200 printable characters without spaces"),
    description:
      "For unattended set-up: the key of the first account (role `admin`), used on the first start only.",
    isSecret: true,
  },
  URL_ALLOW_PRIVATE: {
    schema: commaSeparated,
    default: "",
    description:
      "Comma-separated private hosts or networks that inputs and webhooks may use, over http too (`10.0.0.0/8`, `media.lan`).",
  },
  NODE_ENV: {
    schema: z.enum(["development", "production", "test"]),
    default: "production",
    description: "`development` allows inputs from this machine (loopback) over plain http.",
  },
  UPLOAD_MAX_BYTES: {
    schema: wholeNumber(1),
    default: String(2 * 1024 ** 3),
    description: "Largest upload, and largest input read from a URL.",
  },
  UNFINISHED_UPLOAD_HOURS: {
    schema: wholeNumber(1, 1_000_000),
    default: "24",
    description: "How long an unfinished resumable upload is kept after its last bytes.",
  },
  UNFINISHED_UPLOADS_MAX_BYTES: {
    schema: wholeNumber(1),
    default: String(8 * 1024 ** 3),
    description:
      "Announced bytes of one client's unfinished resumable uploads; more are 429. One is always taken.",
  },
  DECODED_MAX_BYTES: {
    schema: wholeNumber(1),
    default: String(16 * 1024 ** 3),
    description: "Largest input once decoded to 32-bit float: 16 GiB are 3 hours of stereo at 192 kHz.",
  },
  WORK_MAX_BYTES: {
    schema: wholeNumber(1),
    default: String(128 * 1024 ** 3),
    description: "Most disk a running Task may take on a worker: decoded input, stems, windows of voices.",
  },
  DISK_FREE_MIN_BYTES: {
    schema: wholeNumber(0),
    default: String(1024 ** 3),
    description:
      "Free disk below which workers claim no Task and uploads are 503, so that nothing fails half-way; 0 = no limit.",
  },
  STORAGE_QUOTA_BYTES: {
    schema: wholeNumber(0),
    default: "0",
    description:
      "Quota per client for assets, outputs and work in progress; 0 = no limit. `/admin/clients` can override it.",
  },
  ASSET_RETENTION_HOURS: {
    schema: wholeNumber(0, 1_000_000),
    default: "72",
    description:
      "How long uploads are kept; 0 = for ever. Those an unfinished Task needs stay until it ends.",
  },
  OUTPUT_RETENTION_HOURS: {
    schema: wholeNumber(0, 1_000_000),
    default: "72",
    description: "How long the outputs of a finished Task are kept; 0 = for ever. The Task itself stays.",
  },
  TASK_RETENTION_DAYS: {
    schema: wholeNumber(0, 36_500),
    default: "0",
    description:
      "How long finished Tasks are kept with all their data; 0 = for ever. Statistics and the ledger stay.",
  },
  DELIVERY_RETENTION_HOURS: {
    schema: wholeNumber(0, 1_000_000),
    default: "720",
    description: "How long finished webhook deliveries stay in the log, from their last try; 0 = for ever.",
  },
  RATE_LIMIT_PER_SECOND: {
    schema: wholeNumber(0),
    default: "60",
    description: "Requests a second per key, and per address without a valid one; 0 = no limit.",
  },
  TRUST_PROXY: {
    schema: commaSeparated.refine((parts) => parts.every(isNetwork), "must be addresses or networks"),
    default: "",
    description:
      "Comma-separated reverse proxies whose `X-Forwarded-For` is trusted (`127.0.0.1`, `10.0.0.0/8`). Default: none.",
  },
  METRICS_TOKEN: {
    schema: z
      .string()
      .regex(/^[\x21-\x7e]{16,200}$/, "must be 16 to 200 printable characters without spaces"),
    description: "Bearer token for `GET /metrics`, besides administrators' keys. Default: only those.",
    isSecret: true,
  },
  REQUEST_TIMEOUT_SECONDS: {
    schema: wholeNumber(1, 3600),
    default: "30",
    description: "Time for a request's headers, and then its body, to arrive. Not for uploads.",
  },
  IDLE_TIMEOUT_SECONDS: {
    schema: wholeNumber(1, 3600),
    default: "120",
    description: "A connection idle for this long is closed, even in the middle of an upload.",
  },
  UPLOAD_MIN_BYTES_PER_SECOND: {
    schema: wholeNumber(0),
    default: "1024",
    description:
      "Slowest upload, averaged over REQUEST_TIMEOUT_SECONDS; slower ones are aborted. 0 = any speed.",
  },
  CONNECTIONS_MAX: {
    schema: wholeNumber(1, 1_000_000),
    default: "2000",
    description:
      "Connections the API holds at once. Beyond it silent ones are closed; if all are busy, a new one gets 503.",
  },
  CONNECTIONS_PER_ADDRESS: {
    schema: wholeNumber(0, 1_000_000),
    default: "500",
    description:
      "Connections per address (for IPv6, per /64); 0 = no limit. TRUST_PROXY addresses are exempt.",
  },
  FIRST_BYTE_TIMEOUT_SECONDS: {
    schema: wholeNumber(1, 3600),
    default: "10",
    description: "A new connection that sends nothing for this long is closed.",
  },
  REQUESTS_AT_ONCE: {
    schema: wholeNumber(2, 100_000),
    default: "64",
    description:
      "Concurrent requests, at most half for one client. Twice as many wait for up to two seconds; more are 503.",
  },
  UPLOADS_AT_ONCE: {
    schema: wholeNumber(2, 100_000),
    default: "64",
    description: "Concurrent uploads, at most half for one client; otherwise as above.",
  },
  PROBES_AT_ONCE: {
    schema: wholeNumber(0, 1000),
    default: "0",
    description:
      "Concurrent media probes, at most half for one client; 0 = one per core, at least two. Sixteen times as many wait; more are 503.",
  },
  EVENT_STREAMS_MAX: {
    schema: wholeNumber(1, 1_000_000),
    default: "1000",
    description: "Concurrent event streams (`GET /tasks/{id}/events`); each costs some 20 kB.",
  },
  EVENT_STREAMS_PER_CLIENT: {
    schema: wholeNumber(1, 1_000_000),
    default: "200",
    description: "Concurrent event streams per client.",
  },
  OIDC_ISSUER: {
    schema: z.url({ protocol: /^https?$/ }),
    description: "Issuer URL of an OpenID Connect provider for signing in to the dashboard. Default: none.",
  },
  OIDC_CLIENT_ID: { schema: z.string().min(1), description: "This installation's client id at OIDC_ISSUER." },
  OIDC_CLIENT_SECRET: {
    schema: z.string().min(1),
    description: "The secret of OIDC_CLIENT_ID. Default: none (a public client).",
    isSecret: true,
  },
  OIDC_NAME: {
    schema: z.string().min(1).max(60),
    default: "single sign-on",
    description: "Name of OIDC_ISSUER on the button `Sign in with …`.",
  },
  OIDC_DOMAINS: {
    schema: commaSeparated,
    default: "",
    description:
      "Comma-separated email domains whose people may join the first account as members. Default: none.",
  },
  WAIT_START_SECONDS: {
    schema: wholeNumber(0, 86_400),
    default: "50",
    description:
      "How long a `/v1/audio/…`, `/asr` or `/detect-language` request waits for its Task to start. 0 = WAIT_MAX_SECONDS.",
  },
  WAIT_MAX_SECONDS: {
    schema: wholeNumber(1, 86_400),
    default: "3600",
    description: "How long such a request waits in total; then it is 504 and the Task is cancelled.",
  },
  S3_BUCKET: {
    schema: z.string().regex(/^[\w.-]{3,255}$/, "must be a bucket's name"),
    description:
      "A bucket for assets and outputs that several machines can share. Default: files in DATA_DIR.",
  },
  S3_PREFIX: {
    schema: z
      .string()
      .max(512)
      .transform((prefix) => prefix.replace(/^\/+|\/+$/g, "")),
    default: "",
    description: "Folder in S3_BUCKET for everything.",
  },
  S3_PRESIGNED_LINKS: {
    schema: z.enum(["true", "false"]).transform((text) => text === "true"),
    default: "false",
    description:
      "With S3_BUCKET: `true` makes output links presigned URLs of the bucket, and allows direct uploads.",
  },
  S3_PUBLIC_ENDPOINT: {
    schema: webAddress,
    description:
      "With S3_PRESIGNED_LINKS: where clients reach S3_BUCKET, if that is not AWS_ENDPOINT_URL_S3.",
  },
  AWS_ENDPOINT_URL_S3: {
    schema: webAddress,
    description: "Endpoint of S3_BUCKET if it is not AWS; the bucket is then part of the path.",
  },
  AWS_ENDPOINT_URL_STS: {
    schema: webAddress,
    description: "STS endpoint for `aws` storage integrations. Default: AWS, in the integration's region.",
  },
  AWS_REGION: {
    schema: z.string().regex(/^[\w-]+$/, "must be a region"),
    default: "us-east-1",
    description: "Region of S3_BUCKET.",
  },
  AWS_ACCESS_KEY_ID: {
    schema: z.string().min(1),
    description:
      "This installation's AWS identity: for S3_BUCKET and to assume customers' roles. Default: the machine's role.",
  },
  AWS_SECRET_ACCESS_KEY: {
    schema: z.string().min(1),
    description: "The secret of AWS_ACCESS_KEY_ID.",
    isSecret: true,
  },
  AWS_SESSION_TOKEN: {
    schema: z.string().min(1),
    description: "The session token of AWS_ACCESS_KEY_ID, if it is temporary.",
    isSecret: true,
  },
  AWS_PRINCIPAL_ARN: {
    schema: z
      .string()
      .regex(
        /^arn:aws[a-z-]*:iam::\d{12}:(user|role)\/[\w+=,.@/-]+$/,
        "must be the ARN of an IAM user or role, such as arn:aws:iam::123456789012:role/stemwright",
      ),
    description:
      "ARN of the IAM user or role behind AWS_ACCESS_KEY_ID or the machine. The storage guide puts it into trust policies.",
  },
  GCP_IDENTITY_TOKEN_FILE: {
    schema: z.string().min(1),
    description:
      "File with this installation's current OIDC token, for `gcp` integrations with `workloadIdentity`.",
  },
  ENCRYPTION_KEY: {
    schema: encryptionKey,
    description:
      "32 bytes in base64 or hex that encrypt secrets in the database. Default: `DATA_DIR/encryption.key`.",
    isSecret: true,
  },
  DRAIN_SECONDS: {
    schema: wholeNumber(0, 86_400),
    default: "0",
    description:
      "How long a stopping process may take: a worker to finish its Task, an API for the load balancer to move on.",
  },
  CHECKPOINT_MAX_BYTES: {
    schema: wholeNumber(0),
    default: String(2 * 1024 ** 3),
    description:
      "With S3_BUCKET: largest checkpoint that a stopping worker uploads for another machine; 0 = never.",
  },
  WORKERS: {
    schema: wholeNumber(0, 64),
    default: "1",
    description: "Worker processes that `npm start` runs beside the API; each runs one Task at a time.",
  },
  CLIENT_RUNNING_MAX: {
    schema: wholeNumber(0, 1_000_000),
    default: "0",
    description:
      "Tasks of one client that may run at once; 0 = no limit. `/admin/clients` can override it. Read by workers.",
  },
  CLIENT_WAITING_MAX: {
    schema: wholeNumber(0, 1_000_000_000),
    default: "10000",
    description:
      "Tasks of one client that may wait; more are 429. 0 = no limit. `/admin/clients` can override it.",
  },
  LONG_TASK_SECONDS: {
    schema: wholeNumber(0),
    default: "1200",
    description: "Tasks with more audio than this leave one worker free for short ones; 0 = no distinction.",
  },
  SPLIT_INPUT_SECONDS: {
    schema: wholeNumber(0),
    default: "900",
    description:
      "Longer inputs are shared with idle workers on the same kind of machine, in spans of a third of this; 0 = never.",
  },
  API_POOL_SIZE: {
    schema: wholeNumber(2, 1000),
    default: "10",
    description:
      "Database connections for requests and webhooks; the API opens up to four more (LISTEN, readiness, two for sweeps).",
  },
  WORKER_POOL_SIZE: {
    schema: wholeNumber(2, 100),
    default: "2",
    description: "Database connections per worker; one more holds its Task's lock.",
  },
  ENGINE_THREADS: {
    schema: wholeNumber(0, 512),
    default: "0",
    description: "Threads a network may use; 0 = one per core, shared among the workers.",
  },
  EXECUTION_PROVIDER: {
    schema: z.enum(PROVIDER_SETTINGS),
    default: "auto",
    description:
      "`auto` (the faster of GPU and CPU, measured once per network), `cpu`, `cuda`, `coreml`, `directml` or `webgpu`.",
  },
  SPEECH_MODEL: {
    schema: z.enum(SPEECH_NETWORKS),
    default: "whisper-small",
    description:
      "Speech network: `whisper-small`, or the faster and less accurate `whisper-base` and `whisper-tiny`.",
  },
  MEDIA_SANDBOX: {
    schema: z.enum(SANDBOX_MODES),
    default: "required",
    description:
      "`required`: no start without the full media sandbox. `relaxed`: starts anyway, with a warning.",
  },
  CACHE_SIZE_BYTES: {
    schema: wholeNumber(0),
    default: String(4 * 1024 ** 3),
    description: "Size of the stem cache; never more than half of the free disk. 0 = no cache.",
  },
  PREVIEWS: {
    schema: z.enum(["on", "off"]),
    default: "on",
    description:
      "`on`: workers store previews for players while a Task runs, up to 12 MB per track and minute. `off`: none.",
  },
  WORKER_HEALTH_PORT: {
    schema: port,
    description:
      "Port on HOST for a worker's `/health/live` and `/health/ready`; 0 picks a free one. Default: none.",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: webAddress,
    description:
      "OpenTelemetry collector (OTLP over http, JSON) that receives traces, such as `http://collector:4318`. Default: none.",
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    schema: z.string().regex(/^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/, "must be name=value, separated by commas"),
    description: "Headers for that collector: `name=value`, separated by commas.",
    isSecret: true,
  },
  LOG_LEVEL: {
    schema: z.enum(["trace", "debug", "info", "warn", "error", "silent"]),
    default: "info",
    description: "Minimum severity that is logged.",
  },
  LOG_FILE: {
    schema: z.string().min(1),
    description:
      "File that logs are appended to; SIGHUP reopens it. Default: standard error; in a terminal, `DATA_DIR/logs/stemwright.log`.",
  },
  XDG_DATA_HOME: { schema: z.string(), description: "Parent of the default DATA_DIR for an ordinary user." },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
export type SettingValues = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends { default: string }
    ? z.output<(typeof SETTINGS)[Name]["schema"]>
    : z.output<(typeof SETTINGS)[Name]["schema"]> | undefined;
};
