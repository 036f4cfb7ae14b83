import { loadConfig } from "./config/load-config.ts";
import { secureDataDir } from "./start/secure-data-dir.ts";
import { type Started, startAll } from "./start/start-service.ts";

export { ConfigError } from "./config/load-config.ts";
export type { Started } from "./start/start-service.ts";

/**
 * The whole service within another program: database, API and workers, as `stemwright serve` starts them. Settings are those of docs/settings.md.
 * What the process makes from then on is closed to other users (umask 077).
 */
export async function startService(
  environment: Record<string, string | undefined>,
): Promise<Started & { address: string }> {
  process.umask(0o077);
  const config = loadConfig(environment);
  await secureDataDir(config.dataDir);
  return await startAll(config);
}
