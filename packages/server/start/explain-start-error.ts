import { type Config, ConfigError } from "../config/load-config.ts";
import { makePostgresDiskFullError } from "../db/embedded-postgres/disk-full.ts";
import { EmbeddedPostgresError } from "../db/embedded-postgres/embedded-postgres.ts";
import { isOutOfSpace } from "../faults/is-out-of-space.ts";
import { listCauses } from "../faults/list-causes.ts";
import { StartError } from "../faults/start-error.ts";

type Places = Pick<Config, "dataDir" | "databaseUrl">;
type SystemError = NodeJS.ErrnoException & { address?: string; port?: number };

const UNREACHABLE = "can't be reached: start it, or correct DATABASE_URL";
/** Why an external database rejects us, by system or PostgreSQL error code. */
const DATABASE_SENTENCES: Record<string, string> = {
  ECONNREFUSED: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  ENOTFOUND: "names a host that could not be resolved: correct DATABASE_URL",
  EAI_AGAIN: "has a host that can't be looked up just now: try again, or correct DATABASE_URL",
  "08001": "has no host that accepts writes: start the primary, or correct DATABASE_URL",
  "25006": "takes no writes: name the primary in DATABASE_URL, or all hosts, separated by commas",
  "28P01": "refuses the user or the password: correct them in DATABASE_URL",
  "28000": "refuses the user: correct DATABASE_URL, or let the user in (pg_hba.conf)",
  "3D000": "does not exist on its server: create it, or correct DATABASE_URL",
  "53300": "has no connection left: raise its max_connections, or start fewer processes",
};

function findDatabaseSentence({ code = "", message }: SystemError): string | undefined {
  const isTooSlow = message === "Connection terminated due to connection timeout";
  const sentence = isTooSlow
    ? `does not answer: look after it, or correct DATABASE_URL`
    : DATABASE_SENTENCES[code];
  return sentence === undefined ? undefined : `The database of DATABASE_URL ${sentence} (${message || code})`;
}

function findSentence(error: SystemError, loadPlaces: () => Places): string | undefined {
  const { code, address, port, message } = error;
  if (error instanceof StartError || error instanceof ConfigError || error instanceof EmbeddedPostgresError)
    return message;
  if (code === "EADDRINUSE") return `${address}:${port} is taken by another program; set PORT to a free port`;
  if (code === "EACCES" && port !== undefined)
    return `port ${port} may not be opened by this user; set PORT to one above 1023`;
  const { dataDir, databaseUrl } = loadPlaces();
  if (isOutOfSpace(error))
    return databaseUrl === undefined
      ? makePostgresDiskFullError(dataDir).message
      : `The disk is full (${message}). Free some space and start again. Nothing that was saved is lost.`;
  return databaseUrl === undefined ? undefined : findDatabaseSentence(error);
}

/** A sentence if a person can act on the error, otherwise its stack and causes. */
export function explainStartError(
  error: unknown,
  loadPlaces: () => Places,
): { message: string; exitCode: number } {
  const causes = listCauses(error);
  for (const cause of causes) {
    const message = findSentence(cause, loadPlaces);
    if (message !== undefined) return { message, exitCode: 2 };
  }
  const stacks = causes.map(({ stack, message }) => stack ?? message);
  return { message: stacks.length > 0 ? stacks.join("\ncaused by ") : String(error), exitCode: 1 };
}
