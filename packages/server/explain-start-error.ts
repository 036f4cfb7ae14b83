import { type Config, ConfigError } from "./config/load-config.ts";
import { makeDiskFullError } from "./db/embedded-postgres/disk-full.ts";
import { EmbeddedPostgresError } from "./db/embedded-postgres/embedded-postgres.ts";
import { isDiskFull } from "./is-disk-full.ts";

/** What a person can act on is said in a sentence; the rest with where it happened. */
export function explainStartError(
  error: unknown,
  loadConfig: () => Pick<Config, "dataDir" | "databaseUrl">,
): { message: string; exitCode: number } {
  const { code, address, port, message, stack } = error as NodeJS.ErrnoException & {
    address?: string;
    port?: number;
  };
  if (error instanceof ConfigError || error instanceof EmbeddedPostgresError)
    return { message: error.message, exitCode: 2 };
  if (isDiskFull(error)) {
    const { dataDir, databaseUrl } = loadConfig();
    const isEmbedded = databaseUrl === undefined;
    return {
      message: isEmbedded
        ? makeDiskFullError(dataDir).message
        : `The disk is full (${message}). Free some space and start again. Nothing that was saved is lost.`,
      exitCode: 2,
    };
  }
  if (code === "EADDRINUSE")
    return {
      message: `${address}:${port} is taken by another program; set PORT to a free port`,
      exitCode: 2,
    };
  if (code === "EACCES" && port !== undefined)
    return {
      message: `port ${port} may not be opened by this user; set PORT to one above 1023`,
      exitCode: 2,
    };
  return { message: stack ?? String(error), exitCode: 1 };
}
