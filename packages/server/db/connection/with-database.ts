import { openDatabase } from "./open-database.ts";

/** Lends a database to one piece of work that is done once. */
export async function withDatabase<Result>(
  connectionString: string,
  use: (opened: ReturnType<typeof openDatabase>) => Promise<Result>,
): Promise<Result> {
  const opened = openDatabase({ connectionString, maxConnections: 2 });
  try {
    return await use(opened);
  } finally {
    // Kysely's `destroy` leaves a pool alone that was used without it, whose connections then hold the process for 30 s.
    await opened.pool.end();
  }
}
