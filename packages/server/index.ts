import { loadConfig } from "./config/load-config.ts";
import { secureDataDir } from "./start/secure-data-dir.ts";
import { type Started, startAll } from "./start/start-service.ts";

export { ConfigError } from "./config/load-config.ts";
export type { Started } from "./start/start-service.ts";

/**
 * The whole service inside another program: database, API and workers, as started by `stemwright serve`. Settings are those of docs/settings.md. Files that
 * the process creates from then on are private (umask 077).
 */
export async function startService(
  environment: Record<string, string | undefined>,
): Promise<Started & { address: string }> {
  process.umask(0o077);
  const config = loadConfig(environment);
  await secureDataDir(config.dataDir);
  return await startAll(config);
}
