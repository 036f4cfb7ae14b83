import { isIP } from "node:net";
import { EXECUTION_PROVIDERS, SANDBOX_MODES, SPEECH_MODELS } from "@stemwright/engine";
import { z } from "zod";

const port = z.coerce.number().int().min(0).max(65535);
const wholeNumber = (min: number, max = Number.MAX_SAFE_INTEGER) => z.coerce.number().int().min(min).max(max);
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
    description: "What links are made with, as clients see the service. Default: `http://<HOST>:<PORT>`.",
  },
  DATA_DIR: {
    schema: z.string().min(1),
    description:
      "Everything embedded lives below it: database, files, work, caches. Default: `/var/lib/stemwright` as root, `$XDG_DATA_HOME/stemwright` or `~/.local/share/stemwright` otherwise.",
  },
  DATABASE_URL: {
    schema: z.url({ protocol: /^postgres(ql)?$/, hostname: /.*/ }).or(z.string().startsWith("postgresql://")),
    description: "A PostgreSQL server of your own (15 or later). Default: an embedded one under DATA_DIR.",
    isSecret: true,
  },
  DATABASE_WAIT_SECONDS: {
    schema: wholeNumber(0, 86_400),
    default: "15",
    description: "How long a start waits for a database that can't be reached, before it fails.",
  },
  AUTO_MIGRATE: {
    schema: z.enum(["true", "false"]).transform((text) => text === "true"),
    default: "true",
    description:
      "Whether an API that starts brings the database's schema up to date. With `false` it waits until `npm run migrate` has done so; requests are 503 meanwhile.",
  },
  BOOTSTRAP_API_KEY: {
    schema: z.string().regex(/^[\x21-\x7e]{8,200}$/, "must be 8 to 200 printable characters without spaces"),
    description:
      "On a first start, the key of the first account (role `admin`), for unattended set-up. Ignored later.",
    isSecret: true,
  },
  URL_ALLOW_PRIVATE: {
    schema: commaSeparated,
    default: "",
    description:
      "Comma-separated hosts or networks (`10.0.0.0/8`, `media.lan`) that inputs may be read from and webhooks sent to although they are private; plain http is allowed to these only.",
  },
  NODE_ENV: {
    schema: z.enum(["development", "production", "test"]),
    default: "production",
    description: "`development` lets inputs be read from this machine (loopback) over plain http.",
  },
  UPLOAD_MAX_BYTES: {
    schema: wholeNumber(1),
    default: String(2 * 1024 ** 3),
    description: "Largest upload, and largest input read from a URL.",
  },
  DECODED_MAX_BYTES: {
    schema: wholeNumber(1),
    default: String(16 * 1024 ** 3),
    description:
      "Most bytes of sound an input may have, decoded to 32-bit float: 16 GiB are 3 hours of stereo at 192 kHz. Larger ones are refused, before they are decoded where their header tells.",
  },
  WORK_MAX_BYTES: {
    schema: wholeNumber(1),
    default: String(128 * 1024 ** 3),
    description:
      "Most bytes of a worker's disk that a Task may take while it runs: the decoded input and all stems that are asked for.",
  },
  STORAGE_QUOTA_BYTES: {
    schema: wholeNumber(0),
    default: "0",
    description:
      "Bytes that the assets, outputs and work in progress of one client may take; 0 = no limit. `storageQuotaBytes` of `/admin/clients` overrides it for one client.",
  },
  ASSET_RETENTION_HOURS: {
    schema: wholeNumber(0, 1_000_000),
    default: "72",
    description:
      "How long uploads are kept; 0 = for ever. Those an unfinished Task needs stay until it is finished.",
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
      "How long finished Tasks are kept, with all that belongs to them: outputs, words, shares and the log of their webhooks; 0 = for ever. Statistics and the ledger stay.",
  },
  DELIVERY_RETENTION_HOURS: {
    schema: wholeNumber(0, 1_000_000),
    default: "720",
    description:
      "How long the log of webhooks keeps deliveries that have ended, counted from their last try; 0 = for ever.",
  },
  RATE_LIMIT_PER_SECOND: {
    schema: wholeNumber(0),
    default: "60",
    description: "Requests a second for each key, and for each address without a valid one; 0 = no limit.",
  },
  TRUST_PROXY: {
    schema: commaSeparated.refine((parts) => parts.every(isNetwork), "must be addresses or networks"),
    default: "",
    description:
      "Comma-separated addresses or networks of your reverse proxies (`127.0.0.1`, `10.0.0.0/8`), whose `X-Forwarded-For` then tells the client's address, for the rate limit and the log. Default: none, so clients without a key share the proxy's limit.",
  },
  METRICS_TOKEN: {
    schema: z
      .string()
      .regex(/^[\x21-\x7e]{16,200}$/, "must be 16 to 200 printable characters without spaces"),
    description: "Bearer token that `GET /metrics` takes beside administrators' keys. Default: those only.",
    isSecret: true,
  },
  REQUEST_TIMEOUT_SECONDS: {
    schema: wholeNumber(1, 3600),
    default: "30",
    description: "How long a request's headers, and then its body, may take to arrive. Not for uploads.",
  },
  IDLE_TIMEOUT_SECONDS: {
    schema: wholeNumber(1, 3600),
    default: "120",
    description:
      "A connection on which nothing moves for this long is closed, also in the middle of an upload.",
  },
  UPLOAD_MIN_BYTES_PER_SECOND: {
    schema: wholeNumber(0),
    default: "1024",
    description:
      "An upload that comes more slowly than this, on average over REQUEST_TIMEOUT_SECONDS, is given up; 0 = any speed.",
  },
  CONNECTIONS_MAX: {
    schema: wholeNumber(1, 1_000_000),
    default: "2000",
    description:
      "Connections the API holds at once. Beyond, those that say nothing make room; where all are busy, a new one gets 503, and health checks are answered.",
  },
  CONNECTIONS_PER_ADDRESS: {
    schema: wholeNumber(0, 1_000_000),
    default: "500",
    description:
      "Connections that one address (of IPv6, one /64) may hold at once; 0 = no limit. Those in TRUST_PROXY are not limited.",
  },
  FIRST_BYTE_TIMEOUT_SECONDS: {
    schema: wholeNumber(1, 3600),
    default: "10",
    description: "A connection on which nothing has come for this long since it was opened is closed.",
  },
  REQUESTS_AT_ONCE: {
    schema: wholeNumber(2, 100_000),
    default: "64",
    description:
      "Requests the API works on at once, half of them at most for one client. Twice as many wait, for two seconds at most; more are 503.",
  },
  UPLOADS_AT_ONCE: {
    schema: wholeNumber(2, 100_000),
    default: "64",
    description: "Uploads the API takes at once, half of them at most of one client; otherwise as above.",
  },
  PROBES_AT_ONCE: {
    schema: wholeNumber(0, 1000),
    default: "0",
    description:
      "Media files the API looks into at once, each in a process of its own; 0 = one for each core. Sixteen times as many wait; more are 503.",
  },
  EVENT_STREAMS_MAX: {
    schema: wholeNumber(1, 1_000_000),
    default: "1000",
    description: "Event streams (`GET /tasks/{id}/events`) that the API holds at once; one costs some 20 kB.",
  },
  EVENT_STREAMS_PER_CLIENT: {
    schema: wholeNumber(1, 1_000_000),
    default: "200",
    description: "Event streams that one client may have open at once.",
  },
  OIDC_ISSUER: {
    schema: z.url({ protocol: /^https?$/ }),
    description:
      "Identity provider (OpenID Connect) that people may sign in to the dashboard with, by its issuer URL. Register `<PUBLIC_BASE_URL>/account/oidc/callback` there. Default: none.",
  },
  OIDC_CLIENT_ID: { schema: z.string().min(1), description: "This installation's client id at OIDC_ISSUER." },
  OIDC_CLIENT_SECRET: {
    schema: z.string().min(1),
    description: "The secret of OIDC_CLIENT_ID. Default: none, as of a public client.",
    isSecret: true,
  },
  OIDC_NAME: {
    schema: z.string().min(1).max(60),
    default: "single sign-on",
    description: "What the button calls OIDC_ISSUER: `Sign in with …`.",
  },
  OIDC_DOMAINS: {
    schema: commaSeparated,
    default: "",
    description:
      "Comma-separated domains of verified email addresses (`example.com`) whose people join the first account as members at their first sign-in with OIDC_ISSUER. Default: none, so only those who are there already or were invited by their email address come in.",
  },
  WAIT_START_SECONDS: {
    schema: wholeNumber(0, 86_400),
    default: "50",
    description:
      "How long a request to `/v1/audio/…`, `/asr` or `/detect-language` waits for its Task to start, before proxies give up; then it is 503 and the Task cancelled. 0 = as long as WAIT_MAX_SECONDS.",
  },
  WAIT_MAX_SECONDS: {
    schema: wholeNumber(1, 86_400),
    default: "3600",
    description: "How long such a request waits in all; then it is 504 and the Task cancelled.",
  },
  S3_BUCKET: {
    schema: z.string().regex(/^[\w.-]{3,255}$/, "must be a bucket's name"),
    description:
      "A bucket for assets and outputs, which several machines can share. Default: files under DATA_DIR.",
  },
  S3_PREFIX: {
    schema: z
      .string()
      .max(512)
      .transform((prefix) => prefix.replace(/^\/+|\/+$/g, "")),
    default: "",
    description: "Folder in S3_BUCKET that everything is put under.",
  },
  S3_PRESIGNED_LINKS: {
    schema: z.enum(["true", "false"]).transform((text) => text === "true"),
    default: "false",
    description:
      "With S3_BUCKET: `true` makes the links of outputs presigned URLs of the bucket, so that downloads don't pass through the API. Browsers then need a CORS rule on the bucket that allows `GET`.",
  },
  S3_PUBLIC_ENDPOINT: {
    schema: webAddress,
    description:
      "With S3_PRESIGNED_LINKS: where clients reach S3_BUCKET, if that is not AWS_ENDPOINT_URL_S3.",
  },
  AWS_ENDPOINT_URL_S3: {
    schema: webAddress,
    description: "Where S3_BUCKET is, for a store other than AWS; the bucket then stands in the path.",
  },
  AWS_ENDPOINT_URL_STS: {
    schema: webAddress,
    description:
      "Where the roles of `aws` storage integrations are assumed. Default: AWS, in the integration's region.",
  },
  AWS_REGION: {
    schema: z.string().regex(/^[\w-]+$/, "must be a region"),
    default: "us-east-1",
    description: "Region of S3_BUCKET.",
  },
  AWS_ACCESS_KEY_ID: {
    schema: z.string().min(1),
    description:
      "With AWS_SECRET_ACCESS_KEY, this installation's identity at AWS: for S3_BUCKET, and to assume the roles of `aws` storage integrations. Default: what the AWS client finds, such as the machine's role.",
  },
  AWS_SECRET_ACCESS_KEY: {
    schema: z.string().min(1),
    description: "The secret of AWS_ACCESS_KEY_ID.",
    isSecret: true,
  },
  AWS_SESSION_TOKEN: {
    schema: z.string().min(1),
    description: "The session of AWS_ACCESS_KEY_ID, where it is a temporary one.",
    isSecret: true,
  },
  GCP_IDENTITY_TOKEN_FILE: {
    schema: z.string().min(1),
    description:
      "File with this installation's OIDC token, kept fresh by whoever issues it; needed for `gcp` storage integrations with `workloadIdentity`.",
  },
  ENCRYPTION_KEY: {
    schema: encryptionKey,
    description:
      "32 bytes in base64 or hex (`openssl rand -base64 32`) that encrypt secrets in the database (of storage integrations, of webhooks, in answers kept for `Idempotency-Key`); the same on every machine. Default: `DATA_DIR/encryption.key`, made at its first use. Without it the secrets can't be read again.",
    isSecret: true,
  },
  DRAIN_SECONDS: {
    schema: wholeNumber(0, 86_400),
    default: "0",
    description:
      "How long a process that is told to stop goes on: a worker until its Task is done, taking no other; an API for all of it, while `/health/ready` is 503 so that a load balancer turns elsewhere. A second signal ends it. Give the service manager as long, and a minute more.",
  },
  CHECKPOINT_MAX_BYTES: {
    schema: wholeNumber(0),
    default: String(2 * 1024 ** 3),
    description:
      "With S3_BUCKET: what a worker that is told to stop has made of an unfinished Task is put into the bucket if it is not more than this, so that a worker on another machine goes on from there; 0 = never.",
  },
  WORKERS: {
    schema: wholeNumber(0, 64),
    default: "1",
    description: "Worker processes that `npm start` runs beside the API; each takes one Task at a time.",
  },
  CLIENT_RUNNING_MAX: {
    schema: wholeNumber(0, 1_000_000),
    default: "0",
    description:
      "Tasks of one client that may run at once, unless the client has a limit of its own; 0 = no limit. Read by workers.",
  },
  CLIENT_WAITING_MAX: {
    schema: wholeNumber(0, 1_000_000_000),
    default: "10000",
    description:
      "Tasks of one client that may wait at once, unless the client has a limit of its own; more are refused with 429. 0 = no limit.",
  },
  LONG_TASK_SECONDS: {
    schema: wholeNumber(0),
    default: "1200",
    description:
      "Tasks with more audio than this never take the last free worker, where there is more than one, so that short ones need not wait for them; 0 = no difference.",
  },
  API_POOL_SIZE: {
    schema: wholeNumber(2, 1000),
    default: "10",
    description:
      "Database connections that requests and webhooks may open; the API has up to four more: to hear of changes, for its readiness and, two, for sweeps.",
  },
  WORKER_POOL_SIZE: {
    schema: wholeNumber(2, 100),
    default: "2",
    description: "Database connections that a worker may open; one more is kept that holds its Task.",
  },
  ENGINE_THREADS: {
    schema: wholeNumber(0, 512),
    default: "0",
    description: "Threads a network may use; 0 = one for each core, shared among the workers.",
  },
  EXECUTION_PROVIDER: {
    schema: z.enum(EXECUTION_PROVIDERS),
    default: "cpu",
    description:
      "What networks run on: `cpu`, `cuda`, `coreml`, `directml` or `webgpu`. Where it can't be had they run on the CPU, and the log says why.",
  },
  SPEECH_MODEL: {
    schema: z.enum(SPEECH_MODELS),
    default: "whisper-small",
    description:
      "The network that writes down speech: `whisper-small`, or `whisper-base` or `whisper-tiny`, which are faster and make more mistakes.",
  },
  MEDIA_SANDBOX: {
    schema: z.enum(SANDBOX_MODES),
    default: "required",
    description:
      "`required`: media is opened only where a file that takes the decoder over can reach nothing, and the service does not start elsewhere. `relaxed`: it is opened behind whatever protection the machine has; the log warns at every start, and `/admin/health` is `degraded`.",
  },
  CACHE_SIZE_BYTES: {
    schema: wholeNumber(0),
    default: String(4 * 1024 ** 3),
    description:
      "How much of the disk finished stems may take, for the next Task of the same client with the same content; never more than half of what is free. 0 = none are kept.",
  },
  PREVIEWS: {
    schema: z.enum(["on", "off"]),
    default: "on",
    description:
      "`on`: workers store previews of the input and of each stem beside the outputs, for players that play while a Task runs; up to 12 MB for each and minute. `off`: none.",
  },
  LOG_LEVEL: {
    schema: z.enum(["trace", "debug", "info", "warn", "error", "silent"]),
    default: "info",
    description: "Least severity that is logged.",
  },
  LOG_FILE: {
    schema: z.string().min(1),
    description:
      "File that logs are appended to. Default: standard error, or `DATA_DIR/logs/stemwright.log` when started in a terminal.",
  },
  XDG_DATA_HOME: { schema: z.string(), description: "Where DATA_DIR lies by default, for an ordinary user." },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;
export type SettingValues = {
  [Name in SettingName]: (typeof SETTINGS)[Name] extends { default: string }
    ? z.output<(typeof SETTINGS)[Name]["schema"]>
    : z.output<(typeof SETTINGS)[Name]["schema"]> | undefined;
};
