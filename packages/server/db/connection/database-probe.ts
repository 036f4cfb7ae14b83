import pg from "pg";
import { within } from "../../domain/within.ts";
import { CONNECTION_OPTIONS } from "./open-database.ts";
import { SteadyClient } from "./steady-client.ts";

const ANSWER_MS = 2000;
/** Limit for connecting, and again for the query. Shorter than the overall limit, so that a stalled connection is replaced by the next call. */
const STEP_MS = 1500;
/** Longer than the interval of most health checks, so that they find the connection open. */
const KEPT_MS = 60_000;

export type DatabaseProbe = { isReady(): Promise<boolean>; close(): Promise<void> };

/** Whether the database answers within two seconds and takes writes, over a separate connection, so that it never queues behind requests. */
export function openDatabaseProbe(connectionString: string): DatabaseProbe {
  const pool = new pg.Pool({
    connectionString,
    max: 1,
    Client: SteadyClient,
    application_name: "stemwright probe",
    ...CONNECTION_OPTIONS,
    connectionTimeoutMillis: STEP_MS,
    query_timeout: STEP_MS,
    idleTimeoutMillis: KEPT_MS,
  });
  pool.on("error", () => {});
  let asking: Promise<boolean> | undefined;

  return {
    async isReady() {
      // Concurrent callers share one query.
      asking ??= pool
        .connect()
        .then(requireWritable)
        .then(
          () => true,
          () => false,
        )
        .finally(() => {
          asking = undefined;
        });
      return await within(ANSWER_MS, asking).catch(() => false);
    },
    close: () => pool.end(),
  };
}

async function requireWritable(client: pg.PoolClient): Promise<void> {
  try {
    if (client instanceof SteadyClient) await client.requireWritable();
  } finally {
    client.release();
  }
}
