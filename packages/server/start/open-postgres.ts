import { print } from "../commands/print.ts";
import type { Config } from "../config/load-config.ts";
import { withDatabase } from "../db/connection/with-database.ts";
import {
  type EmbeddedPostgresError,
  joinEmbeddedPostgres,
  startEmbeddedPostgres,
} from "../db/embedded-postgres/embedded-postgres.ts";
import { migrate } from "../db/schema/migrate.ts";
import { callUntilAnswered, type RetryPolicy } from "../waiting/call-until-answered.ts";

/** The external server if one is configured, else the embedded one. */
export async function openPostgres(
  config: Config,
  hooks: { onDown?: (error: EmbeddedPostgresError) => void; onUp?: () => void } = {},
) {
  if (config.databaseUrl !== undefined) return { connectionString: config.databaseUrl, stop: async () => {} };
  return await startEmbeddedPostgres({ ...toEmbeddedOptions(config), ...hooks });
}

/** The same for commands, which may run beside the service. */
export async function joinPostgres(config: Config) {
  if (config.databaseUrl !== undefined) return { connectionString: config.databaseUrl, stop: async () => {} };
  return await joinEmbeddedPostgres(toEmbeddedOptions(config));
}

const toEmbeddedOptions = ({ dataDir, workers }: Config) => ({
  dataDir,
  workers,
  onProgress: (message: string) => print(`  … ${message}`),
});

/** Migrates the schema as soon as the database answers. */
export async function migrateDatabase(databaseUrl: string, retryPolicy: RetryPolicy): Promise<string[]> {
  const onLocked = (migration: string) => retryPolicy.log.warn({ migration }, "migration waits for a lock");
  return await callUntilAnswered(
    () => withDatabase(databaseUrl, ({ pool }) => migrate(pool, { onLocked }), { hasLimit: false }),
    retryPolicy,
  );
}
