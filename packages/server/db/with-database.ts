import { openDatabase } from "./database.ts";

/** Lends a database to one piece of work that is done once. */
export async function withDatabase<Result>(
  connectionString: string,
  use: (opened: ReturnType<typeof openDatabase>) => Promise<Result>,
): Promise<Result> {
  const opened = openDatabase({ connectionString, maxConnections: 2 });
  try {
    return await use(opened);
  } finally {
    await opened.db.destroy();
  }
}
