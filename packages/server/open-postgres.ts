import type { Config } from "./config/load-config.ts";
import { openDatabase } from "./db/database.ts";
import {
  type EmbeddedPostgresError,
  startEmbeddedPostgres,
} from "./db/embedded-postgres/embedded-postgres.ts";
import { migrate } from "./db/migrate.ts";
import { print } from "./print.ts";

/** The outside server where one is given, the embedded one otherwise. */
export async function openPostgres(
  config: Config,
  hooks: { onDown?: (error: EmbeddedPostgresError) => void; onUp?: () => void } = {},
) {
  if (config.databaseUrl !== undefined) return { connectionString: config.databaseUrl, stop: async () => {} };
  return await startEmbeddedPostgres({
    dataDir: config.dataDir,
    workers: config.workers,
    onProgress: (message) => print(`  … ${message}`),
    ...hooks,
  });
}

export async function withDatabase<Result>(
  databaseUrl: string,
  use: (opened: ReturnType<typeof openDatabase>) => Promise<Result>,
): Promise<Result> {
  const opened = openDatabase({ connectionString: databaseUrl, maxConnections: 2 });
  try {
    return await use(opened);
  } finally {
    await opened.db.destroy();
  }
}

export const migrateDatabase = (databaseUrl: string) =>
  withDatabase(databaseUrl, ({ pool }) => migrate(pool));
