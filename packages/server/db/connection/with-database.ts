import { openDatabase } from "./open-database.ts";

/** Opens a database for a single task and closes it afterwards. */
export async function withDatabase<Result>(
  connectionString: string,
  use: (opened: ReturnType<typeof openDatabase>) => Promise<Result>,
): Promise<Result> {
  const opened = openDatabase({ connectionString, maxConnections: 2 });
  try {
    return await use(opened);
  } finally {
    // Kysely's `destroy` does not end a pool that was only used directly; its connections would keep the process alive for 30 s.
    await opened.pool.end();
  }
}
