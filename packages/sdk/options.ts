/** What the client needs to know; everything has a default where the environment or the place tells. */
export type StemwrightOptions = {
  /** Where the service is, a sub-path included. Else `STEMWRIGHT_BASE_URL`, else this machine. In a page it may be relative. */
  baseUrl?: string;
  /** Else `STEMWRIGHT_API_KEY`. `null` sends none, for a page whose cookie opens the service. */
  apiKey?: string | null;
  /** The bearer token of the Jobs interface (`client.jobs`). Else `STEMWRIGHT_LEGACY_TOKEN`, else the API key. */
  legacyToken?: string;
  /** Verifies webhooks (`client.webhooks.unwrap`). Else `STEMWRIGHT_WEBHOOK_SECRET`. */
  webhookSecret?: string;
  /** An administrator's key may work for another client: every request is then as that client's. */
  clientId?: string;
  /** How often a request is tried again after 408, 429, 5xx or a network error. Two by default. */
  maxRetries?: number;
  /** How long one try may take; a minute by default. Uploads, downloads and event streams have no such limit. */
  timeoutMs?: number;
  /** Sent with every request to the service. */
  headers?: Record<string, string>;
  /** Whether fetch sends cookies, as in fetch's own option. */
  credentials?: RequestInit["credentials"];
  /** Sends the requests instead of the global fetch. */
  fetch?: typeof fetch;
};

/** What every method takes as its last argument. */
export type RequestOptions = {
  /** Ends the request and all waiting; the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  maxRetries?: number | undefined;
  timeoutMs?: number | undefined;
  headers?: Record<string, string> | undefined;
  /** The client to act for, where the key is an administrator's. */
  clientId?: string | undefined;
  /**
   * Names a POST: the same key with the same content gets the first answer again for 24 hours. Every POST has one anyway,
   * made at random, so that its own retries are safe; give one to make repetitions of your own safe too.
   */
  idempotencyKey?: string | undefined;
};
