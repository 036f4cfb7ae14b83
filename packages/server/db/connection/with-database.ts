import { openDatabase } from "./open-database.ts";

/** Long enough for any statement that is not part of a migration. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** Opens a database for a single piece of work and closes it afterwards. */
export async function withDatabase<Result>(
  connectionString: string,
  use: (opened: ReturnType<typeof openDatabase>) => Promise<Result>,
  /** Of time, for each statement; migrations have none. */
  { hasLimit = true } = {},
): Promise<Result> {
  const opened = openDatabase({
    connectionString,
    maxConnections: 2,
    ...(hasLimit ? { statementTimeoutMs: STATEMENT_TIMEOUT_MS } : {}),
  });
  try {
    return await use(opened);
  } finally {
    // Kysely's `destroy` does not end a pool that was only used directly; its connections would keep the process alive for 30 s.
    await opened.pool.end();
  }
}
