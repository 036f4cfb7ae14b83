/** All options are optional. */
export type StemwrightOptions = {
  /** Address of the service, including any sub-path. Default: `STEMWRIGHT_BASE_URL`, then `http://127.0.0.1:8080`. May be relative in a browser. */
  baseUrl?: string;
  /** Default: `STEMWRIGHT_API_KEY`. `null` sends no key, e.g. for cookie sessions. */
  apiKey?: string | null;
  /** Bearer token for the Jobs interface (`client.jobs`). Default: `STEMWRIGHT_LEGACY_TOKEN`, then the API key. */
  legacyToken?: string;
  /** Secret for `client.webhooks.unwrap`. Default: `STEMWRIGHT_WEBHOOK_SECRET`. */
  webhookSecret?: string;
  /** Act for this client; needs an admin key. */
  clientId?: string;
  /** Retries after 408, 429, 5xx and network errors. Default: 2. */
  maxRetries?: number;
  /** Limit for one attempt. Default: 60 000. Does not apply to uploads, download bodies and event streams. */
  timeoutMs?: number;
  /** Extra headers for every request to the service. */
  headers?: Record<string, string>;
  /** Passed to fetch, for cookie sessions. */
  credentials?: RequestInit["credentials"];
  /** Used instead of the global fetch. */
  fetch?: typeof fetch;
};

/** The last argument of every method. */
export type RequestOptions = {
  /** Aborts the request and any waiting; the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  maxRetries?: number | undefined;
  timeoutMs?: number | undefined;
  headers?: Record<string, string> | undefined;
  /** Act for this client; needs an admin key. */
  clientId?: string | undefined;
  /**
   * For POSTs: the same key and body get the first response again for 24 hours. Every POST gets a random one, which makes
   * the built-in retries safe. Set it to make your own retries safe, too.
   */
  idempotencyKey?: string | undefined;
};
