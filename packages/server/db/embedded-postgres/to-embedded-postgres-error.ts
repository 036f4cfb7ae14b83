import { makePostgresDiskFullError } from "./disk-full.ts";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

/** Turns file system errors into a message for whoever started the service. */
export function toEmbeddedPostgresError(error: unknown, dataDir: string): EmbeddedPostgresError {
  if (error instanceof EmbeddedPostgresError) return error;
  const message = error instanceof Error ? error.message : String(error);
  switch (findErrorCode(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return makePostgresDiskFullError(dataDir, { cause: error });
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "ENOTDIR":
    // Returned by a recursive mkdir on a read-only mount.
    case "ENOENT":
      return new EmbeddedPostgresError(
        "data_dir_unusable",
        `The embedded PostgreSQL cannot use ${dataDir}: ${message}. Set DATA_DIR to a folder this user may write to, or set DATABASE_URL to a PostgreSQL server.`,
        { cause: error },
      );
    default:
      return new EmbeddedPostgresError(
        "setup_failed",
        `The embedded PostgreSQL could not be set up in ${dataDir}: ${message}`,
        { cause: error },
      );
  }
}

function findErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
