import type { Config } from "./config/load-config.ts";
import { openDatabase } from "./db/database.ts";
import {
  type EmbeddedPostgresError,
  joinEmbeddedPostgres,
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
  return await startEmbeddedPostgres({ ...toEmbeddedOptions(config), ...hooks });
}

/** The same for a command given at the machine, which may be given while the service runs. */
export async function joinPostgres(config: Config) {
  if (config.databaseUrl !== undefined) return { connectionString: config.databaseUrl, stop: async () => {} };
  return await joinEmbeddedPostgres(toEmbeddedOptions(config));
}

const toEmbeddedOptions = ({ dataDir, workers }: Config) => ({
  dataDir,
  workers,
  onProgress: (message: string) => print(`  … ${message}`),
});

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
