import { StemwrightError } from "./errors.ts";
import { HttpTransport } from "./http/transport.ts";
import type { StemwrightOptions } from "./options.ts";
import { readEnvironment } from "./read-environment.ts";
import { Account } from "./resources/account/account.ts";
import { Admin } from "./resources/admin/admin.ts";
import { Assets } from "./resources/assets.ts";
import { Health } from "./resources/health.ts";
import { Jobs } from "./resources/jobs.ts";
import { Models } from "./resources/models.ts";
import { ResumableUploads } from "./resources/resumable-uploads.ts";
import { Shares } from "./resources/shares.ts";
import { Statistics } from "./resources/statistics.ts";
import { StorageIntegrations } from "./resources/storage-integrations.ts";
import { Tasks } from "./resources/tasks.ts";
import { Webhooks } from "./resources/webhooks.ts";

/** Default address of a local service. */
const LOCAL_BASE_URL = "http://127.0.0.1:8080";
const MAX_RETRIES = 2;
const TIMEOUT_MS = 60_000;

/** Resolves the base URL and drops trailing slashes; keeps a sub-path. */
function parseBaseUrl(text: string): string {
  const { location } = globalThis as { location?: { href: string } };
  if (!URL.canParse(text, location?.href))
    throw new StemwrightError(
      `baseUrl is not a valid URL: ${text} (expected something like https://stems.example/api)`,
    );
  const { origin, pathname } = new URL(text, location?.href);
  return origin + pathname.replace(/\/+$/, "");
}

/**
 * A client for a Stemwright service.
 *
 * @example
 * const client = new Stemwright({ baseUrl: "https://stems.example", apiKey: "sw_…" });
 * const task = await client.tasks.run("song.mp3", [{ model: "vocals", formats: ["wav"] }]);
 * await client.tasks.saveAll(task, "stems");
 */
export class Stemwright {
  readonly baseUrl: string;
  readonly assets: Assets;
  readonly uploads: ResumableUploads;
  readonly tasks: Tasks;
  readonly shares: Shares;
  readonly models: Models;
  readonly statistics: Statistics;
  readonly webhooks: Webhooks;
  readonly storageIntegrations: StorageIntegrations;
  readonly account: Account;
  readonly admin: Admin;
  readonly jobs: Jobs;
  readonly health: Health;

  constructor(options: StemwrightOptions = {}) {
    this.baseUrl = parseBaseUrl(options.baseUrl ?? readEnvironment("STEMWRIGHT_BASE_URL") ?? LOCAL_BASE_URL);
    const { apiKey = readEnvironment("STEMWRIGHT_API_KEY") } = options;
    const transport = new HttpTransport({
      baseUrl: this.baseUrl,
      apiKey: apiKey ?? undefined,
      legacyToken: options.legacyToken ?? readEnvironment("STEMWRIGHT_LEGACY_TOKEN"),
      clientId: options.clientId,
      maxRetries: options.maxRetries ?? MAX_RETRIES,
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      headers: options.headers ?? {},
      credentials: options.credentials,
      // Browsers throw "Illegal invocation" when fetch is called as a method of another object.
      fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    });
    this.uploads = new ResumableUploads(transport);
    this.assets = new Assets(transport, this.uploads);
    this.tasks = new Tasks(transport, this.assets);
    this.shares = new Shares(transport);
    this.models = new Models(transport);
    this.statistics = new Statistics(transport);
    this.webhooks = new Webhooks(
      transport,
      options.webhookSecret ?? readEnvironment("STEMWRIGHT_WEBHOOK_SECRET"),
    );
    this.storageIntegrations = new StorageIntegrations(transport);
    this.account = new Account(transport);
    this.admin = new Admin(transport);
    this.jobs = new Jobs(transport);
    this.health = new Health(transport);
  }
}
